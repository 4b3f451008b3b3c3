/** What came of a request, for whoever keeps a record of it: no header, no query, no body. */
import type { RefusalCode } from '@bridlewise/shared/refusals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookieName } from './credentials.ts'
import { recordedPath } from './request.ts'

export interface Answered {
  /** Why it was refused; null when it was done. */
  readonly code: RefusalCode | null
  /** `account.login`; null where no operation lives. */
  readonly operation: string | null
  /** Whether a session cookie or an access token came along, true or not. */
  readonly credentials: 'shown' | 'none'
  /** Who called, or who a call without credentials turned out to be. */
  readonly userId: string | null
  /** Of the socket. */
  readonly address: string
  readonly method: string
  /** As `recordedPath` leaves it. */
  readonly path: string
}

/** Contract: told after the answer has left, so that nobody waits for it; it must not throw. */
export type Witness = (answered: Answered) => void

/**
 * Tell the witness once the answer is through or its socket is gone.
 *
 * Contract: a caller who hangs up before reading the answer is told of like any other.
 */
export function watchAnswer(request: FastifyRequest, reply: FastifyReply, witness: Witness): void {
  // A closed socket no longer knows whose it was.
  const address = request.raw.socket.remoteAddress ?? ''
  reply.raw.once('close', () => witness(describe(request, address)))
}

function describe(request: FastifyRequest, address: string): Answered {
  const { headers, method, url } = request.raw
  const shown = headers.authorization !== undefined || (headers.cookie ?? '').includes(`${sessionCookieName}=`)
  return {
    code: request.refused,
    operation: request.routeOptions.config.operation ?? null,
    credentials: shown ? 'shown' : 'none',
    userId: request.admission?.caller?.userId ?? request.identified,
    address,
    method: method ?? '',
    path: recordedPath(url ?? ''),
  }
}
