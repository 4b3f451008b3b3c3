import type { Handlers, user } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import type { Accounts } from '../accounts/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import { removeCopies, type Sample, stopWorkOf } from '../projects/index.ts'
import type { RunControl } from '../runs/index.ts'
import type { Store } from '../storage/index.ts'

export interface UserParts {
  readonly accounts: Accounts
  readonly store: Pick<Store, 'runs' | 'projects' | 'shares' | 'transaction'>
  readonly control: Pick<RunControl, 'cancel'>
  /** Where copies of the sample lie: those of somebody who is removed go with them. */
  readonly sample: Pick<Sample, 'home'>
}

export function createUserHandlers({ accounts, store, control, sample }: UserParts): Handlers<typeof user, CallContext> {
  return {
    list: async (context) => {
      const users = accounts.listUsers(callerOf(context))
      return users.ok ? ok({ users: [...users.value] }) : users
    },
    setRole: async (context, { userId, role }) => {
      const changed = accounts.setRole(callerOf(context), userId, role)
      return changed.ok ? ok({ user: changed.value }) : changed
    },
    remove: async (context, { userId }) => {
      const copies = store.projects.list({ userId }).filter(({ demo, sharedBy }) => demo && sharedBy === null)
      const removed = await accounts.removeUser(callerOf(context), userId, (owner) =>
        stopWorkOf({ store, stopRun: control.cancel }, owner),
      )
      if (!removed.ok) return removed
      await removeCopies(
        sample,
        copies.filter((copy) => !store.projects.isAddedByOthers({ userId }, copy)),
      )
      return ok({})
    },
    makeReset: async (context, { userId }) => {
      const made = accounts.makeReset(callerOf(context), userId)
      if (!made.ok) return made
      const { username, code, expiresAt } = made.value
      return ok({ reset: { username, code, expiresAt } })
    },
    invite: async (context, { role }) => {
      const made = accounts.invite(callerOf(context), role)
      return made.ok ? ok({ invite: { role, code: made.value.code, expiresAt: made.value.expiresAt } }) : made
    },
    listInvites: async (context) => {
      const open = accounts.listInvites(callerOf(context))
      return open.ok ? ok({ invites: [...open.value] }) : open
    },
    withdrawInvite: async (context, { codeId }) => {
      const withdrawn = accounts.withdrawInvite(callerOf(context), codeId)
      return withdrawn.ok ? ok({}) : withdrawn
    },
  }
}
