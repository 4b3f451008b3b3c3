/** Accounts over a real store, with a clock that a test sets and without the cost of hashing. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { type Accounts, type Caller, createAccounts, type SignedIn } from '../../server/accounts/index.ts'
import { need } from './script-client.ts'
import { openTempStore, type TempStore } from './store.ts'

export const dayMs = 24 * 60 * 60 * 1000
export const ann = { username: 'Ann', password: 'correct horse' }
export const nothing = { cookie: null, token: null, bearer: null }

/** Comparison instead of scrypt: what hashing does is tested beside it. */
export const plainPasswords = {
  hash: async (password: string): Promise<Result<string>> => ok(password),
  verify: async (password: string, record: string | null) => ({ match: password === record, renewed: null as string | null }),
}

export interface AccountsRoom extends AsyncDisposable {
  readonly temp: TempStore
  readonly accounts: Accounts
  time: number
  /** The first account, an administrator. */
  setUp(): Promise<SignedIn>
  /** An account made by an invite of `by`, signed in. */
  join(by: Caller, username: string, role?: 'admin' | 'member'): Promise<Caller>
  callerOf(signedIn: SignedIn): Caller
}

export async function openAccounts(): Promise<AccountsRoom> {
  const temp = await openTempStore()
  const room: AccountsRoom = {
    temp,
    accounts: createAccounts({ store: temp.store, now: () => room.time, passwords: plainPasswords }),
    time: 1_000 * dayMs,
    setUp: async () => need(await room.accounts.setup({ code: room.accounts.setupCode() ?? '', ...ann })),
    async join(by, username, role = 'member') {
      const { code } = need(room.accounts.invite(by, role))
      return room.callerOf(need(await room.accounts.acceptInvite({ code, username, password: `${username} horse` })))
    },
    callerOf: ({ cookie, token }) => need(room.accounts.authenticate({ cookie, token, bearer: null })),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
  return room
}

export function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}
