/** Who somebody is: the first account, signing in and out, access tokens, and the accepted preview. */
export { type Accounts, type AccountsPorts, type Caller, type Credentials, createAccounts, type SignedIn } from './accounts.ts'
