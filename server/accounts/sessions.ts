/** What proves who calls: a session's cookie together with its header token, or an access token alone. */
import { randomBytes } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { makeId } from '@bridlewise/shared/wire'
import type { Owner, SessionRecord, Store } from '../storage/index.ts'
import { hashSecret, makeSecret, matchesHash } from './secrets.ts'

/** How an access token begins, so that people and scanners know one when they see it. */
export const tokenPrefix = 'bw_'

const dayMs = 24 * 60 * 60 * 1000
/** A session ends so long after it began, and so long after its last use. */
export const sessionMs = 30 * dayMs
export const idleMs = 14 * dayMs
/** The time of last use is written no oftener than this. */
const useMs = 60 * 1000

/** What was shown, with whom it belongs to. */
export interface Proof {
  readonly userId: string
  readonly kind: 'session' | 'token'
  readonly id: string
  /** Ids of the blocks that it is good for; null for all. */
  readonly blocks: readonly string[] | null
}

/** Make a session. Contract: id, cookie and token are new at every sign-in; what a browser held before is never adopted. */
export function openSession(store: Store, owner: Owner, at: number) {
  const cookie = makeSecret()
  const token = makeSecret()
  const expiresAt = at + sessionMs
  store.sessions.create({
    id: makeId('session', at, randomBytes(16)),
    userId: owner.userId,
    cookieHash: hashSecret(cookie),
    tokenHash: hashSecret(token),
    createdAt: at,
    lastUsedAt: at,
    expiresAt,
  })
  return { cookie, token, expiresAt } as const
}

/**
 * The cookie finds the session and proves nothing: ports share it. The token must belong to it.
 *
 * Refuses: session_missing, token_missing.
 */
export function findSession(
  store: Store,
  shown: { readonly cookie: string | null; readonly token: string | null },
  now: number,
): Result<Proof> {
  const session = shown.cookie === null ? null : store.sessions.findByCookieHash(hashSecret(shown.cookie))
  if (session === null || !isCurrent(session, now)) return refuse('session_missing')
  if (shown.token === null || !matchesHash(shown.token, session.tokenHash)) return refuse('token_missing')
  if (isUseNews(session.lastUsedAt, now)) store.sessions.markUsed(session, session.id, now)
  return ok({ userId: session.userId, kind: 'session', id: session.id, blocks: null })
}

/** Refuses: session_missing. */
export function findToken(store: Store, bearer: string, now: number): Result<Proof> {
  const token = bearer.startsWith(tokenPrefix) ? store.tokens.findByHash(hashSecret(bearer)) : null
  if (token === null) return refuse('session_missing')
  if (isUseNews(token.lastUsedAt, now)) store.tokens.markUsed(token, token.id, now)
  return ok({ userId: token.userId, kind: 'token', id: token.id, blocks: token.blocks })
}

function isUseNews(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || Math.abs(now - lastUsedAt) >= useMs
}

/** A clock that was put back by more than a day ends sessions rather than making them immortal. */
export function isCurrent(session: Pick<SessionRecord, 'createdAt' | 'lastUsedAt' | 'expiresAt'>, now: number): boolean {
  const { createdAt, lastUsedAt, expiresAt } = session
  return now < expiresAt && now > createdAt - dayMs && now - (lastUsedAt ?? createdAt) < idleMs
}
