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

/** Where an attempt to get in comes from. */
export interface Whence {
  /** Of the socket, one name for every spelling of it. What headers claim plays no part. */
  readonly address: string
  /** The mark of a browser that signed in before, as shown; null for none. */
  readonly device: string | null
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
