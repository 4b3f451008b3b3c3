/** Who calls, and what a request shows to prove it. */

/** Somebody who proved who they are, and by what. */
export interface Caller {
  readonly userId: string
  readonly username: string
  readonly role: 'admin' | 'member'
  /** Changes with the password and the role: what was allowed under another one is asked again. */
  readonly epoch: number
  /** Ids of the blocks that may be called; null for all. */
  readonly blocks: readonly string[] | null
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
