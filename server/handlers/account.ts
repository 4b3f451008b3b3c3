import type { account, Handlers } from '@bridlewise/shared'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Accounts, SignedIn } from '../accounts/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'

export function createAccountHandlers(deps: { readonly accounts: Accounts }): Handlers<typeof account, CallContext> {
  const { accounts } = deps
  return {
    status: async () => ok({ setupDone: accounts.setupDone() }),
    setup: async (context, input) => signIn(context, await accounts.setup(input)),
    login: async (context, input) => signIn(context, await accounts.login(input)),
    logout: async (context) => {
      accounts.logout(callerOf(context))
      context.cookie.clear()
      return ok({})
    },
    session: async (context) => ok({ user: accounts.user(callerOf(context)) }),
    createToken: async (context, { name }) => ok({ token: accounts.createToken(callerOf(context), name) }),
    listTokens: async (context) =>
      ok({
        tokens: accounts
          .listTokens(callerOf(context))
          .map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt })),
      }),
    revokeToken: async (context, { tokenId }) => {
      const revoked = accounts.revokeToken(callerOf(context), tokenId)
      return revoked.ok ? ok({}) : revoked
    },
  }
}

/** The cookie's secret goes into the cookie, the token into the body; neither works without the other. */
function signIn(context: CallContext, result: Result<SignedIn>): Result<Pick<SignedIn, 'token' | 'user'>> {
  if (!result.ok) return result
  const { cookie, token, user } = result.value
  context.cookie.set(cookie)
  return ok({ token, user })
}
