/** Who somebody is: accounts and how they come about, signing in and out, access tokens, and the accepted preview. */
export { type Accounts, type AccountsPorts, createAccounts } from './accounts.ts'
export type { Caller, Credentials } from './caller.ts'
export type { SignedIn } from './entrance.ts'
export { accountLimits } from './limits.ts'
