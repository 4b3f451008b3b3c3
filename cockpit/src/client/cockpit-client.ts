/** The derived client, bound to this origin, with the feed and the way to call blocks that only the served schema knows. */
import { blocks, type ServedOperation } from '@bridlewise/shared'
import { type CallOptions, type Client, callOperation, createClient } from '@bridlewise/shared/client'
import type { Result } from '@bridlewise/shared/refusals'
import { createLiveFeed, type LiveFeed } from './live-feed.ts'
import type { TakeSlot } from './stream-slots.ts'
import { createTransport, type TransportGiven } from './transport.ts'

export type BlocksClient = Client<typeof blocks>

/** Call an operation by what the served schema says of it. */
export type CallServed = (
  operation: Pick<ServedOperation, 'method' | 'path'>,
  input: Readonly<Record<string, unknown>>,
  options?: CallOptions,
) => Promise<Result<Record<string, unknown>>>

export interface CockpitClient {
  readonly calls: BlocksClient
  readonly callServed: CallServed
  readonly feed: LiveFeed
  /** For whoever opens another long stream: all tabs share a few. */
  readonly takeSlot: TakeSlot
}

export function createCockpitClient(given: TransportGiven & { readonly takeSlot: TakeSlot }): CockpitClient {
  const transport = createTransport(given)
  const calls = createClient(blocks, transport)
  return {
    calls,
    callServed: (operation, input, options) => callOperation(transport, operation, { input, ...options }),
    feed: createLiveFeed({
      open: (runId, from) => calls.run.stream({ runId }, from),
      wait: waitFor,
      takeSlot: given.takeSlot,
    }),
    takeSlot: given.takeSlot,
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
