/** The one face of accounts. */
import type { User } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Acceptance, Store, TokenRecord } from '../storage/index.ts'

/** Somebody who proved who they are, and by what. */
export interface Caller {
  readonly userId: string
  readonly username: string
  readonly role: 'admin' | 'member'
  /** What was shown: a session with its header token, or an access token; and the id of it. */
  readonly via: { readonly kind: 'session' | 'token'; readonly id: string }
}

/** What a request carries, each as found, or null. */
export interface Credentials {
  /** The value of the session cookie. */
  readonly cookie: string | null
  /** The `x-bridlewise-token` header. */
  readonly token: string | null
  /** What stands after `Bearer ` in the Authorization header. */
  readonly bearer: string | null
}

export interface SignedIn {
  readonly user: User
  /** For the cookie, HttpOnly. Shown to nobody else. */
  readonly cookie: string
  /** For the reply; the client sends it back as `x-bridlewise-token`. */
  readonly token: string
  readonly expiresAt: number
}

export interface AccountsPorts {
  readonly store: Store
  readonly now: () => number
}

export interface Accounts {
  setupDone(): boolean
  /** The one-time code while setup is open, for the terminal; null afterwards. */
  setupCode(): string | null
  /** Refuses: setup_done, setup_code_wrong, password_too_weak. */
  setup(input: { readonly code: string; readonly username: string; readonly password: string }): Promise<Result<SignedIn>>
  /** Refuses: setup_required, credentials_wrong. An unknown user costs as much as a wrong password. */
  login(input: { readonly username: string; readonly password: string }): Promise<Result<SignedIn>>
  /** Ends the session that the caller came by; an access token is not a session and stays. */
  logout(caller: Caller): void
  /**
   * Contract: reads only, apart from the time an access token was last used; call it again to
   * re-authorise a stream. A bearer decides alone when there is one.
   * Refuses: session_missing, token_missing.
   */
  authenticate(credentials: Credentials): Result<Caller>
  user(caller: Caller): User
  /** The secret is in this answer and nowhere else. */
  createToken(
    caller: Caller,
    name: string,
  ): { readonly id: string; readonly name: string; readonly secret: string; readonly createdAt: number }
  listTokens(caller: Caller): readonly TokenRecord[]
  /** Refuses: thing_unknown. */
  revokeToken(caller: Caller, tokenId: string): Result<'revoked'>
  /** What the first account accepted at setup, for `admitDeveloperPreview`; null before. */
  acceptance(): Acceptance | null
}

export declare function createAccounts(ports: AccountsPorts): Accounts
