/** Accounts over a real store, with a clock that a test sets and without the cost of hashing. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { type Accounts, type Caller, createAccounts, type SignedIn } from '../../server/accounts/index.ts'
import type { Comparison } from '../../server/accounts/password.ts'
import { need } from './script-client.ts'
import { openTempStore, type TempStore } from './store.ts'

export const dayMs = 24 * 60 * 60 * 1000
export const ann = { username: 'Ann', password: 'correct horse' }
/** An attempt from this machine, by a browser that was never signed in. */
export const here = { address: 'loopback', device: null }
/** Nobody is slowed down but by their own wrong passwords, and no time passes between those. */
export const quietPorts = { elapsed: () => 0, takeAttempt: () => 0, noteSlowdown: () => undefined }
export const nothing = { cookie: null, token: null, bearer: null }

/** Comparison instead of scrypt: what hashing does is tested beside it. */
export const plainPasswords = {
  hash: async (password: string): Promise<Result<string>> => ok(password),
  verify: async (password: string, record: string | null): Promise<Result<Comparison>> =>
    ok({ match: password === record, renewed: null }),
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
    accounts: createAccounts({ store: temp.store, now: () => room.time, passwords: plainPasswords, ...quietPorts }),
    time: 1_000 * dayMs,
    setUp: async () => need(await room.accounts.setup({ code: room.accounts.setupCode() ?? '', ...ann }, here)),
    async join(by, username, role = 'member') {
      const { code } = need(room.accounts.invite(by, role))
      return room.callerOf(need(await room.accounts.acceptInvite({ code, username, password: `${username} horse` }, here)))
    },
    callerOf: ({ cookie, token }) => need(room.accounts.authenticate({ cookie, token, bearer: null })),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
  return room
}

export function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}
