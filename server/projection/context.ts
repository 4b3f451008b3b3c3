/** What a handler knows about the call at hand, and nothing else: services are given to the factory that makes it. */
import type { Caller, Whence } from '../accounts/index.ts'

/** The session cookie of the reply. Only the account handlers touch it. */
export interface SessionCookie {
  /** Contract: `secret` goes to the browser alone, HttpOnly; it must not stand in a body or a log. */
  set(secret: string): void
  clear(): void
}

/** `unknown`: an id that no stream of this server ever gave. 0 is the id of a `resync`, after which everything is still to come. */
export type LastEventId = number | 'unknown'

export interface CallContext {
  /** Null for an operation that anyone may call. */
  readonly caller: Caller | null
  /** Of nobody in particular: what attempts at a password are counted by. */
  readonly whence: Whence
  /** Aborts when the caller goes away, loses the right to call, or the server stops. It stops no run. */
  readonly signal: AbortSignal
  readonly idempotencyKey: string | null
  /** Number of the last frame a stream's caller has seen; null when it names none. */
  readonly lastEventId: LastEventId | null
  /** Stands in every log line of this call. */
  readonly requestId: string
  readonly cookie: SessionCookie
  /** A stream ends soon after this does not hold any more. It is asked as often as who the caller is. */
  keepWhile(holds: () => boolean): void
  /** Says who a caller without credentials turned out to be, for the record of security events. */
  identify(userId: string): void
}

/**
 * Who calls, as the owner that every repository asks for.
 *
 * Contract: for operations that are not public. Nobody here means that the boundary let someone
 * through, which is a fault and not a refusal.
 */
export function callerOf(context: CallContext): Caller {
  if (!context.caller) throw new Error('a call without a caller reached an operation that is not public')
  return context.caller
}
