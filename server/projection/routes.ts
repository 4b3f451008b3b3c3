/** From a list of blocks to routes. Nothing here knows any block by name. */
import { isDeepStrictEqual } from 'node:util'
import { type Block, type BlockList, type Handlers, type Operation, operationPath } from '@bridlewise/shared'
import { makeRefusal, type Result } from '@bridlewise/shared/refusals'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Guard, sendRefusal } from '../boundary/index.ts'
import type { OpenCalls } from './call.ts'
import type { CallContext } from './context.ts'
import { inputReader } from './input.ts'
import type { OncePerKey } from './once.ts'
import { openApi } from './openapi.ts'
import { type StreamParts, serveStream } from './stream-route.ts'

/** Handlers of every block, under the blocks' ids. */
export type HandlersOf<Blocks extends BlockList> = {
  readonly [B in Blocks[number] as B['id']]: Handlers<B, CallContext>
}

export interface Projection<Blocks extends BlockList> {
  readonly blocks: Blocks
  readonly handlers: HandlersOf<Blocks>
  readonly version: string
  /** Null where no operation asks for a key. */
  readonly once: OncePerKey | null
  readonly calls: OpenCalls
  /** Null where no operation is a stream. */
  readonly streams: StreamParts | null
  /** `checked` parses each reply and frame against its declaration, and makes a fault of what does not fit: for tests. */
  readonly replies: 'trusted' | 'checked'
}

type AnyHandler = (context: CallContext, input: Record<string, unknown>) => Promise<Result<unknown>>

/**
 * Register a route for each operation of each block, and the description of all of them.
 *
 * Contract: a path answers other methods with `method_not_allowed`; an unknown path under `/api` says
 * so only to a caller who is signed in.
 */
export function registerBlocks<const Blocks extends BlockList>(app: FastifyInstance, projection: Projection<Blocks>): void {
  const paths = new Map<string, { methods: Set<string>; guard: Guard }>()
  for (const block of projection.blocks) {
    const handlers = (projection.handlers as unknown as Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>)[block.id]
    for (const [name, operation] of Object.entries(block.operations)) {
      const handler = handlers?.[name]
      if (!handler) throw new Error(`${block.id}.${name} has no handler`)
      const url = operationPath(block, operation)
      const guard = { access: operation.access, rate: operation.rate, block: block.id }
      const methods = operation.kind === 'query' ? ['GET', 'HEAD'] : [operation.method]
      const serve =
        operation.kind === 'stream' ? streamRoute(operation, handler, projection) : callRoute(block, name, handler, projection)
      app.route({
        method: methods,
        url,
        config: { guard, operation: `${block.id}.${name}` },
        bodyLimit: operation.bodyLimit,
        handler: serve,
      })
      const path = paths.get(url) ?? { methods: new Set<string>(), guard }
      for (const method of methods) path.methods.add(method)
      paths.set(url, path)
    }
  }
  const document = '/api/openapi.json'
  let text: string | null = null
  app.get(document, { config: { guard: { access: 'member', rate: 'light' } } }, async (_request, reply) => {
    text ??= JSON.stringify(openApi(projection.blocks, projection.version))
    return reply.type('application/json; charset=utf-8').send(text)
  })
  paths.set(document, { methods: new Set(['GET']), guard: { access: 'member', rate: 'light' } })
  for (const [url, { methods, guard }] of paths) refuseOtherMethods(app, url, { methods, guard })
}

function refuseOtherMethods(app: FastifyInstance, url: string, path: { methods: ReadonlySet<string>; guard: Guard }): void {
  const others = ['GET', 'HEAD', 'POST'].filter((method) => !path.methods.has(method))
  app.route({
    method: others,
    url,
    config: { guard: path.guard },
    // The body plays no part: the no is said before it would be read.
    preParsing: async (request, reply) =>
      sendRefusal(reply, makeRefusal('method_not_allowed', { method: request.method, allow: [...path.methods].join(', ') })),
    handler: async () => undefined,
  })
}

function callRoute(block: Block, name: string, handler: AnyHandler, projection: Projection<BlockList>) {
  const operation = block.operations[name] as Exclude<Operation, { kind: 'stream' }>
  const { once } = projection
  if (operation.idempotency !== 'none' && once === null) throw new Error(`${block.id}.${name} has nowhere to keep its answers`)
  const read = inputReader(operation)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = read(request)
    if (!input.ok) return sendRefusal(reply, input.refusal)
    const context = projection.calls.begin(request, reply)
    if (!context.ok) return sendRefusal(reply, context.refusal)
    const { caller, idempotencyKey: key } = context.value
    const execute = () => handler(context.value, input.value)
    const result =
      operation.idempotency !== 'none' && key !== null && caller && once
        ? await once.run(
            { owner: caller, operation: `${block.id}.${name}`, key, input: input.value, keep: operation.idempotency },
            execute,
          )
        : await execute()
    if (!result.ok) return sendRefusal(reply, result.refusal)
    if (projection.replies === 'checked') checkReply(`${block.id}.${name}`, operation.output, result.value)
    return reply.code(operation.status).type('application/json; charset=utf-8').send(JSON.stringify(result.value))
  }
}

function streamRoute(operation: Extract<Operation, { kind: 'stream' }>, handler: AnyHandler, projection: Projection<BlockList>) {
  const { streams } = projection
  if (streams === null) throw new Error(`${operation.title}: there is nothing that serves streams`)
  const read = inputReader(operation)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = read(request)
    if (!input.ok) return sendRefusal(reply, input.refusal)
    const context = projection.calls.begin(request, reply)
    if (!context.ok) return sendRefusal(reply, context.refusal)
    const open = (of: CallContext) => handler(of, input.value) as Promise<Result<AsyncIterable<object>>>
    const check = (frame: object) => {
      if (projection.replies === 'checked') checkReply(operation.title, operation.frame, frame)
    }
    return serveStream({ request, reply, context: context.value }, { open, check }, streams)
  }
}

/** Contract: throws when a value is not what its declaration says, also when it holds more. */
function checkReply(label: string, schema: Extract<Operation, { kind: 'query' }>['output'], value: unknown): void {
  const wire: unknown = JSON.parse(JSON.stringify(value))
  const parsed = schema.safeParse(wire)
  if (!parsed.success) throw new Error(`${label} answered what it did not declare: ${parsed.error.message}`)
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), wire))
    throw new Error(`${label} answered fields it did not declare`)
}
