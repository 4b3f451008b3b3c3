import type { account, BlockList, Handlers } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Accounts, SignedIn } from '../accounts/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'

export interface AccountParts {
  readonly accounts: Accounts
  /** What an access token can be limited to. */
  readonly served: BlockList
}

export function createAccountHandlers({ accounts, served }: AccountParts): Handlers<typeof account, CallContext> {
  return {
    status: async () => ok({ setupDone: accounts.setupDone() }),
    setup: async (context, input) => signIn(context, await accounts.setup(input, context.whence)),
    login: async (context, input) => signIn(context, await accounts.login(input, context.whence)),
    acceptInvite: async (context, input) => signIn(context, await accounts.acceptInvite(input, context.whence)),
    redeemReset: async (context, input) => signIn(context, await accounts.redeemReset(input, context.whence)),
    logout: async (context) => {
      accounts.logout(callerOf(context))
      context.cookie.clear()
      return ok({})
    },
    session: async (context) => ok({ user: accounts.user(callerOf(context)) }),
    changePassword: async (context, { currentPassword, newPassword }) => {
      const changed = await accounts.changePassword(callerOf(context), { current: currentPassword, next: newPassword })
      return changed.ok ? ok({}) : changed
    },
    listSessions: async (context) => ok({ sessions: [...accounts.listSessions(callerOf(context))] }),
    revokeSession: async (context, { sessionId }) => {
      const revoked = accounts.revokeSession(callerOf(context), sessionId)
      return revoked.ok ? ok({}) : revoked
    },
    revokeOtherSessions: async (context) => ok({ ended: accounts.revokeOtherSessions(callerOf(context)) }),
    createToken: async (context, { name, blocks = null }) => {
      const unknown = blocks?.find((id) => !served.some((block) => block.id === id))
      if (unknown !== undefined)
        return refuse('input_invalid', { problem: `there is no block named ${JSON.stringify(unknown)}`, path: 'blocks' })
      const made = accounts.createToken(callerOf(context), { name, blocks })
      return made.ok ? ok({ token: { ...made.value, blocks } }) : made
    },
    listTokens: async (context) =>
      ok({
        tokens: accounts
          .listTokens(callerOf(context))
          .map(({ userId: _, blocks, ...token }) => ({ ...token, blocks: blocks && [...blocks] })),
      }),
    revokeToken: async (context, { tokenId }) => {
      const revoked = accounts.revokeToken(callerOf(context), tokenId)
      return revoked.ok ? ok({}) : revoked
    },
  }
}

/** The cookie's secret goes into the cookie, the token into the body; neither works without the other. */
function signIn(context: CallContext, result: Result<SignedIn>): Result<Pick<SignedIn, 'token' | 'device' | 'user'>> {
  if (!result.ok) return result
  const { cookie, token, device, user } = result.value
  context.cookie.set(cookie)
  context.identify(user.id)
  return ok({ token, device, user })
}
