/** What somebody may do about their own account: sessions, access tokens, the password. */
import { randomBytes } from 'node:crypto'
import type { User } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { makeId } from '@bridlewise/shared/wire'
import type { Store, TokenRecord, UserRecord } from '../storage/index.ts'
import type { Caller } from './caller.ts'
import type { Guesses } from './guesses.ts'
import type { Passwords } from './password.ts'
import { hashSecret, makeSecret } from './secrets.ts'
import { isCurrent, tokenPrefix } from './sessions.ts'
import { toUser } from './user.ts'

export interface OwnSession {
  readonly id: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** The one that asks. */
  readonly current: boolean
}

export interface NewToken {
  readonly id: string
  readonly name: string
  readonly blocks: readonly string[] | null
  /** In this answer and nowhere else. */
  readonly secret: string
  readonly createdAt: number
}

export interface OwnAccess {
  user(caller: Caller): User
  /** Ends the session that the caller came by; an access token is not a session and stays. */
  logout(caller: Caller): void
  listSessions(caller: Caller): readonly OwnSession[]
  /** Refuses: thing_unknown. */
  revokeSession(caller: Caller, sessionId: string): Result<'revoked'>
  /** Ends every session but the one that the caller came by; gives how many. */
  revokeOtherSessions(caller: Caller): number
  /**
   * Contract: every other session ends, and so does every open stream of the account; access tokens
   * stay, because they were never the password.
   * Refuses: session_needed, password_delayed, hashing_busy, password_wrong, password_too_weak, session_missing when the password was
   * changed from elsewhere meanwhile.
   */
  changePassword(caller: Caller, given: { readonly current: string; readonly next: string }): Promise<Result<'changed'>>
  /** Contract: no token makes another one, so a token for some blocks cannot widen itself. Refuses: session_needed. */
  createToken(caller: Caller, given: Pick<NewToken, 'name' | 'blocks'>): Result<NewToken>
  listTokens(caller: Caller): readonly TokenRecord[]
  /** Refuses: thing_unknown. */
  revokeToken(caller: Caller, tokenId: string): Result<'revoked'>
}

export interface OwnAccessParts {
  readonly store: Store
  readonly now: () => number
  readonly passwords: Passwords
  readonly guesses: Pick<Guesses, 'beginChange'>
}

export function createOwnAccess({ store, now, passwords, guesses }: OwnAccessParts): OwnAccess {
  return {
    user: (caller) => toUser(mustFind(store, caller)),
    logout(caller) {
      if (caller.via.kind === 'session') store.sessions.remove(caller, caller.via.id)
    },
    listSessions: (caller) =>
      store.sessions
        .list(caller, now())
        .filter((session) => isCurrent(session, now()))
        .map(({ id, createdAt, lastUsedAt }) => ({ id, createdAt, lastUsedAt, current: id === caller.via.id })),
    revokeSession: (caller, sessionId) =>
      store.sessions.remove(caller, sessionId) ? ok('revoked') : refuse('thing_unknown', { kind: 'session' }),
    revokeOtherSessions: (caller) => store.sessions.removeOthers(caller, caller.via.id),
    async changePassword(caller, { current, next }) {
      if (caller.via.kind !== 'session') return refuse('session_needed')
      const user = mustFind(store, caller)
      const attempt = guesses.beginChange(caller)
      if (!attempt.ok) return attempt
      const compared = await passwords.verify(current, user.password)
      if (compared.ok && !compared.value.match) {
        attempt.value.fail()
        return refuse('password_wrong')
      }
      attempt.value.takeBack()
      if (!compared.ok) return compared
      const record = await passwords.hash(next)
      if (!record.ok) return record
      return store.transaction(() => {
        if (store.users.get(caller.userId)?.epoch !== user.epoch) return refuse('session_missing')
        store.users.setPassword(caller, record.value)
        store.sessions.removeOthers(caller, caller.via.id)
        return ok('changed')
      })
    },
    createToken(caller, { name, blocks }) {
      if (caller.via.kind !== 'session') return refuse('session_needed')
      const createdAt = now()
      const token = { id: makeId('token', createdAt, randomBytes(16)), name, blocks, createdAt }
      const secret = tokenPrefix + makeSecret()
      store.tokens.create(caller, { ...token, hash: hashSecret(secret) })
      return ok({ ...token, secret })
    },
    listTokens: (caller) => store.tokens.list(caller),
    revokeToken: (caller, tokenId) =>
      store.tokens.revoke(caller, tokenId, now()) ? ok('revoked') : refuse('thing_unknown', { kind: 'token' }),
  }
}

function mustFind(store: Store, caller: Caller): UserRecord {
  const user = store.users.get(caller.userId)
  if (user === null) throw new Error('a caller was authenticated as a user who is not there')
  return user
}
