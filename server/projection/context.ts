/** What a handler knows about the call at hand, and nothing else: services are given to the factory that makes it. */
import type { User } from '@bridlewise/shared'

/** Who calls. Only public operations are ever reached by `anonymous`. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user'
      readonly user: User
      /** A browser's session or a script's access token, and which one: what is revoked when it ends. */
      readonly credential: { readonly kind: 'session' | 'token'; readonly id: string }
    }

/** The session cookie of the reply. Only the account handlers touch it. */
export interface SessionCookie {
  /** Contract: `secret` goes to the browser alone, HttpOnly; it must not stand in a body or a log. */
  set(secret: string): void
  clear(): void
}

export interface CallContext {
  readonly caller: Caller
  /** Aborts when the caller goes away, loses the right to call, or the server stops. It stops no run. */
  readonly signal: AbortSignal
  readonly idempotencyKey: string | null
  /** Number of the last frame a stream's caller has seen; null when it gave none or a meaningless one. */
  readonly lastEventId: number | null
  /** Stands in every log line of this call. */
  readonly requestId: string
  readonly cookie: SessionCookie
}

/**
 * The user who calls.
 *
 * Contract: for operations that are not public. An anonymous caller here means that the boundary
 * let someone through, which is a fault and not a refusal.
 */
export function userOf(context: CallContext): User {
  if (context.caller.kind !== 'user') throw new Error('an anonymous call reached an operation that is not public')
  return context.caller.user
}
