/** One subscription from the first check to the last byte. */
import type { Result } from '@bridlewise/shared/refusals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import { type Limits, reportFault, reportStreamFault, sendRefusal } from '../boundary/index.ts'
import type { CallContext } from './context.ts'
import { EventWriter } from './events.ts'
import type { OpenStreams } from './open-streams.ts'

export interface StreamParts {
  readonly open: OpenStreams
  readonly limits: Limits
  readonly accounts: Pick<Accounts, 'authenticate'>
}

interface Subscription {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly context: CallContext
}

interface Source {
  readonly open: (context: CallContext) => Promise<Result<AsyncIterable<object>>>
  /** Throws when a frame is not what the block declared. */
  readonly check: (frame: object) => void
}

/**
 * Serve a stream.
 *
 * Contract: a refusal is an ordinary reply; after the first byte the stream ends after its terminal
 * frame, or when the caller's right ends, or is dropped on a fault. Leaving stops nothing but the stream.
 */
export async function serveStream(call: Subscription, source: Source, parts: StreamParts): Promise<FastifyReply> {
  const { request, reply } = call
  const place = parts.open.reserve({ userId: call.context.caller?.userId ?? '', thing: pathOf(request.raw.url ?? '') })
  if (!place.ok) return sendRefusal(reply, place.refusal)
  try {
    let holds = () => true
    const keepWhile = (condition: () => boolean) => {
      holds = condition
    }
    const frames = await source.open({ ...call.context, keepWhile })
    if (!frames.ok) return sendRefusal(reply, frames.refusal)
    if (call.context.signal.aborted) return reply
    reply.hijack()
    reply.raw.writeHead(200, {
      ...headersSoFar(reply),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    reply.raw.flushHeaders()
    const writer = new EventWriter(reply.raw, parts.limits)
    place.value.open({ writer, mayRead: () => mayRead(request, parts.accounts, holds) })
    await writer.writeAll(checked(frames.value, source.check)).catch((cause: unknown) => {
      reportStreamFault(request, cause)
      writer.drop()
    })
    return reply
  } finally {
    place.value.free()
  }
}

/**
 * Whether the caller is still who they were, with the same password and role, and what the stream rests
 * on holds. After a change of any of it the stream ends, and whoever may still read comes back. A public
 * stream has nobody to ask about; when the accounts cannot be asked, the answer is no.
 */
function mayRead(request: FastifyRequest, accounts: Pick<Accounts, 'authenticate'>, holds: () => boolean): boolean {
  const { caller, credentials } = request.admission ?? { caller: null, credentials: null }
  try {
    if (!credentials) return holds()
    const known = accounts.authenticate(credentials)
    return known.ok && known.value.userId === caller?.userId && known.value.epoch === caller.epoch && holds()
  } catch (cause) {
    reportFault(request.log, cause)
    return false
  }
}

/** The door has let one spelling of a path in, so equal paths mean the same thing. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function headersSoFar(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
}

async function* checked(frames: AsyncIterable<object>, check: (frame: object) => void): AsyncGenerator<object> {
  for await (const frame of frames) {
    check(frame)
    yield frame
  }
}
