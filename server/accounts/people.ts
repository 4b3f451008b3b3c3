/**
 * What an administrator may do about other people.
 *
 * Each function takes whoever acts and reads their role anew: a route that forgot to ask, or that
 * asked a moment too early, changes nothing here.
 */
import type { User } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Role, Store } from '../storage/index.ts'
import type { Caller } from './caller.ts'
import { createCode, type MadeCode } from './codes.ts'
import { toUser } from './user.ts'

export interface Invite {
  readonly id: string
  readonly role: Role
  /** The name of whoever made it. */
  readonly madeBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface People {
  /** Refuses: access_denied. */
  listUsers(acting: Caller): Result<readonly User[]>
  /** Contract: the code is in this answer and nowhere else. Refuses: access_denied, session_needed. */
  invite(acting: Caller, role: Role): Result<MadeCode & { readonly role: Role }>
  /** Invites that nobody has used. Refuses: access_denied. */
  listInvites(acting: Caller): Result<readonly Invite[]>
  /** Refuses: access_denied, session_needed, thing_unknown. */
  withdrawInvite(acting: Caller, inviteId: string): Result<'withdrawn'>
  /** Contract: an earlier reset code of the user is worthless from now on. Refuses: access_denied, session_needed, thing_unknown. */
  makeReset(acting: Caller, userId: string): Result<MadeCode & { readonly username: string }>
  /** Refuses: access_denied, session_needed, thing_unknown, last_admin. */
  setRole(acting: Caller, userId: string, role: Role): Result<User>
  /**
   * Remove a user with everything that is theirs.
   *
   * Contract: sessions, tokens and shares end first, then `stopWork` ends their runs and those of others
   * in their projects, then the content is erased. The ledger keeps their entries without the payloads of their chats.
   * Refuses: access_denied, session_needed, thing_unknown, last_admin, user_busy.
   */
  removeUser(acting: Caller, userId: string, stopWork: (owner: Owner) => Promise<void>): Promise<Result<'removed'>>
}

/** How often what works for a user is stopped before the removal is given up. */
const stopTries = 3

export function createPeople({ store, now }: { readonly store: Store; readonly now: () => number }): People {
  const isAdmin = (acting: Caller) => store.users.get(acting.userId)?.role === 'admin'

  /** Changing people takes a person who is signed in: a token that leaked cannot make accounts. */
  function checkInPerson(acting: Caller): Result<'admin'> {
    if (!isAdmin(acting)) return refuse('access_denied')
    return acting.via.kind === 'session' ? ok('admin') : refuse('session_needed')
  }

  /** Runs of others in the user's projects count like the user's own: they would go on in a project that is gone. */
  function removeIfIdle(userId: string): Result<'removed'> {
    return store.transaction(() => {
      if (store.projects.listGuestRuns({ userId }).length > 0) return refuse('user_busy')
      return store.users.remove(userId)
    })
  }

  return {
    listUsers: (acting) => (isAdmin(acting) ? ok(store.users.list().map(toUser)) : refuse('access_denied')),
    invite(acting, role) {
      const allowed = checkInPerson(acting)
      if (!allowed.ok) return allowed
      return ok({ role, ...createCode(store, { purpose: { kind: 'invite', role }, maker: acting }, now()) })
    },
    listInvites(acting) {
      if (!isAdmin(acting)) return refuse('access_denied')
      const at = now()
      const open = store.codes.listInvites().filter(({ expiresAt }) => at < expiresAt)
      return ok(open.flatMap((code) => (code.purpose.kind === 'invite' ? [toInvite(store, code, code.purpose.role)] : [])))
    },
    withdrawInvite(acting, inviteId) {
      const allowed = checkInPerson(acting)
      if (!allowed.ok) return allowed
      const isInvite = store.codes.listInvites().some(({ id }) => id === inviteId)
      return isInvite && store.codes.take(inviteId) ? ok('withdrawn') : refuse('thing_unknown', { kind: 'invite' })
    },
    makeReset: (acting, userId) =>
      store.transaction(() => {
        const allowed = checkInPerson(acting)
        if (!allowed.ok) return allowed
        const user = store.users.get(userId)
        if (user === null) return refuse('thing_unknown', { kind: 'user' })
        store.codes.removeResets(userId)
        const made = createCode(store, { purpose: { kind: 'reset', userId }, maker: acting }, now())
        return ok({ username: user.username, ...made })
      }),
    setRole(acting, userId, role) {
      const allowed = checkInPerson(acting)
      if (!allowed.ok) return allowed
      const changed = store.users.setRole(userId, role)
      return changed.ok ? ok(toUser(changed.value)) : changed
    },
    async removeUser(acting, userId, stopWork) {
      const barred = store.transaction((): Result<'barred'> => {
        const allowed = checkInPerson(acting)
        if (!allowed.ok) return allowed
        const removable = store.users.checkRemoval(userId)
        if (!removable.ok) return removable
        store.sessions.removeOthers({ userId }, null)
        store.tokens.revokeAll({ userId }, now())
        store.shares.endAll({ userId }, null)
        return ok('barred')
      })
      if (!barred.ok) return barred
      // A call that was let in before the bar may still have started something.
      for (let tries = 1; ; tries += 1) {
        await stopWork({ userId })
        const removed = removeIfIdle(userId)
        if (removed.ok || removed.refusal.code !== 'user_busy' || tries === stopTries) return removed
      }
    },
  }
}

function toInvite(store: Store, code: Omit<Invite, 'role'>, role: Role): Invite {
  const { id, madeBy, createdAt, expiresAt } = code
  return { id, role, madeBy: store.users.get(madeBy)?.username ?? '', createdAt, expiresAt }
}
