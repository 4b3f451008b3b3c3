/** Who somebody is: accounts and how they come about, signing in and out, access tokens, and the accepted preview. */
export { type Accounts, type AccountsPorts, createAccounts } from './accounts.ts'
export type { Caller, Credentials, Whence } from './caller.ts'
export type { SignedIn } from './entrance.ts'
export type { Slowdown } from './guesses.ts'
export { accountLimits } from './limits.ts'
export { createOperator, type Operator } from './operator.ts'
