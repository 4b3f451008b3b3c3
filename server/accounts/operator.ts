/**
 * What whoever runs this server may do to its accounts from the terminal, without having one.
 *
 * They hold data home and key home, so nothing here is more than they could do anyway. No handler
 * reaches this: over the network it takes an administrator.
 */
import type { User } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Store } from '../storage/index.ts'
import { createCode, type MadeCode } from './codes.ts'
import { toUser } from './user.ts'

export interface Operator {
  listUsers(): readonly User[]
  /**
   * Contract: the same code as an administrator makes, in the name of the oldest one; an earlier one
   * of the user is worthless from now on. The password stays as it is until the code is used.
   * Refuses: thing_unknown.
   */
  makeReset(username: string): Result<MadeCode & { readonly username: string }>
  /** Refuses: thing_unknown. */
  makeAdmin(username: string): Result<User>
}

export function createOperator({ store, now }: { readonly store: Store; readonly now: () => number }): Operator {
  return {
    listUsers: () => store.users.list().map(toUser),
    makeReset: (username) =>
      store.transaction(() => {
        const user = store.users.findByName(username)
        const admin = store.users.list().find(({ role }) => role === 'admin')
        if (user === null || admin === undefined) return refuse('thing_unknown', { kind: 'user' })
        store.codes.removeResets(user.id)
        const purpose = { kind: 'reset', userId: user.id } as const
        return ok({ username: user.username, ...createCode(store, { purpose, maker: { userId: admin.id } }, now()) })
      }),
    makeAdmin(username) {
      const user = store.users.findByName(username)
      if (user === null) return refuse('thing_unknown', { kind: 'user' })
      const changed = store.users.setRole(user.id, 'admin')
      return changed.ok ? ok(toUser(changed.value)) : changed
    },
  }
}
