/** The context of one call: made from what the choke point let in, ended when the caller is gone. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookieName } from '../boundary/index.ts'
import type { CallContext, LastEventId, SessionCookie } from './context.ts'

/** Made once: an exception with a trace of its own for each call that ended would be the dearest part of a small call. */
const over = new DOMException('The call is over.', 'AbortError')

/** Calls under way, so that a stopping server can end them. */
export class OpenCalls {
  readonly #controllers = new Set<AbortController>()

  /** Contract: the context's signal aborts when the reply is through or its socket closes. */
  begin(request: FastifyRequest, reply: FastifyReply): Result<CallContext> {
    const key = readIdempotencyKey(request.raw.headers['idempotency-key'])
    if (!key.ok) return key
    const controller = new AbortController()
    this.#controllers.add(controller)
    reply.raw.once('close', () => {
      this.#controllers.delete(controller)
      controller.abort(over)
    })
    return ok({
      caller: request.admission?.caller ?? null,
      whence: request.admission?.whence ?? { address: '', device: null },
      signal: controller.signal,
      idempotencyKey: key.value,
      lastEventId: readLastEventId(request.headers['last-event-id']?.toString()),
      requestId: request.id,
      cookie: sessionCookie(reply),
      // An answer that is given at once rests on nothing; a stream's route keeps the condition.
      keepWhile: () => undefined,
      identify: (userId) => {
        request.identified = userId
      },
    })
  }

  abortAll(): void {
    for (const controller of this.#controllers) controller.abort(over)
  }
}

/** An empty header is how a reader says that it has seen nothing. */
export function readLastEventId(value: string | undefined): LastEventId | null {
  if (value === undefined || value === '') return null
  return /^(?:0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : 'unknown'
}

function readIdempotencyKey(value: unknown): Result<string | null> {
  if (value === undefined) return ok(null)
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,128}$/.test(value) ? ok(value) : refuse('idempotency_key_invalid')
}

/** No Domain and no Expires: it belongs to this host alone, and the server decides when it ends. */
function sessionCookie(reply: FastifyReply): SessionCookie {
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/' } as const
  return {
    set: (secret) => void reply.setCookie(sessionCookieName, secret, attributes),
    clear: () => void reply.clearCookie(sessionCookieName, attributes),
  }
}
