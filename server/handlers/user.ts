import type { Handlers, user } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import type { Accounts } from '../accounts/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { RunControl } from '../runs/index.ts'
import type { Owner, Runs } from '../storage/index.ts'

export interface UserParts {
  readonly accounts: Accounts
  readonly runs: Pick<Runs, 'listActive'>
  readonly control: Pick<RunControl, 'cancel'>
}

export function createUserHandlers({ accounts, runs, control }: UserParts): Handlers<typeof user, CallContext> {
  /** A run that ends by itself meanwhile refuses to be cancelled, which is as good. */
  const stopWork = async (owner: Owner) => {
    await Promise.all(runs.listActive(owner).map(({ id }) => control.cancel(owner, id)))
  }

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
      const removed = await accounts.removeUser(callerOf(context), userId, stopWork)
      return removed.ok ? ok({}) : removed
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
