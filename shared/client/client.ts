/** The typed client, derived from a list of blocks. It names no block and knows no feature. */
import type { Block, BlockList, CallOf, Operation, ReplyOf, StreamOperation } from '../define/index.ts'
import { operationPath } from '../define/index.ts'
import type { Result } from '../refusals/index.ts'
import { type CallOptions, callOperation, type Transport } from './call.ts'
import { openStream, type StreamEnd, type StreamOptions } from './stream.ts'

type Method<O extends Operation> = O extends StreamOperation
  ? (input: CallOf<O>, options?: StreamOptions) => AsyncGenerator<ReplyOf<O>, StreamEnd>
  : (input: CallOf<O>, options?: CallOptions) => Promise<Result<ReplyOf<O>>>

type BlockClient<B extends Block> = { readonly [Name in keyof B['operations']]: Method<B['operations'][Name]> }

export type Client<Blocks extends BlockList> = {
  readonly [B in Blocks[number] as B['id']]: BlockClient<B>
}

/**
 * Bind a list of blocks to a server: `client.run.start({ prompt })`.
 *
 * Contract: a call resolves to a value or a refusal and never rejects, also when the server is away
 * (`server_unreachable`). A stream yields frames and returns why it ended.
 */
export function createClient<const Blocks extends BlockList>(blocks: Blocks, transport: Transport): Client<Blocks> {
  const client: Record<string, Record<string, unknown>> = {}
  for (const block of blocks) {
    const methods: Record<string, unknown> = {}
    for (const [name, operation] of Object.entries(block.operations)) {
      const route = { ...operation, path: operationPath(block, operation) }
      methods[name] =
        operation.kind === 'stream'
          ? (input: Record<string, unknown>, options?: StreamOptions) => openStream(transport, route, { input, ...options })
          : (input: Record<string, unknown>, options?: CallOptions) => callOperation(transport, route, { input, ...options })
    }
    client[block.id] = methods
  }
  return client as unknown as Client<Blocks>
}
