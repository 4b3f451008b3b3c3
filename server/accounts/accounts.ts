/** The one face of accounts. */
import { randomBytes } from 'node:crypto'
import { policyDigest, rootPolicy } from '@bridlewise/engine'
import type { User } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type IdNoun, makeId } from '@bridlewise/shared/wire'
import type { Acceptance, Store, TokenRecord, UserRecord } from '../storage/index.ts'
import { createPasswords, type Passwords } from './password.ts'
import { hashSecret, makeSecret } from './secrets.ts'
import { findSession, findToken, openSession, tokenPrefix } from './sessions.ts'
import { createSetupCode, removeSetupCode } from './setup-code.ts'

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
  /** Given by tests, to try costs above the floor. */
  readonly passwords?: Passwords
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

/**
 * Accounts over a store. While nobody has set up, a new setup code is written to the data home.
 *
 * Contract: role and existence of a user are read at every `authenticate`, so that a demotion or a
 * logout counts from the next call on.
 */
export function createAccounts({ store, now, passwords = createPasswords() }: AccountsPorts): Accounts {
  const setupCode = store.users.exist() ? null : createSetupCode(store.homes.data)
  if (setupCode === null) removeSetupCode(store.homes.data)

  return {
    setupDone: () => store.users.exist(),
    setupCode: () => (store.users.exist() ? null : (setupCode?.text ?? null)),
    async setup({ code, username, password }) {
      if (setupCode === null || store.users.exist()) return refuse('setup_done')
      if (!setupCode.matches(code)) return refuse('setup_code_wrong')
      const record = await passwords.hash(password)
      if (!record.ok) return record
      const at = now()
      const user = { id: newId('user', at), username, role: 'admin', password: record.value, createdAt: at } as const
      const signedIn = store.transaction((): Result<SignedIn> => {
        const made = store.users.createFirst(user)
        if (!made.ok) return made
        acceptPreview(store, user)
        return ok(signIn(store, user, at))
      })
      if (signedIn.ok) setupCode.remove()
      return signedIn
    },
    async login({ username, password }) {
      if (!store.users.exist()) return refuse('setup_required')
      const user = store.users.findByName(username)
      const { match, renewed } = await passwords.verify(password, user?.password ?? null)
      if (user === null || !match) return refuse('credentials_wrong')
      if (renewed !== null) store.users.setPassword({ userId: user.id }, renewed)
      return ok(signIn(store, user, now()))
    },
    logout(caller) {
      if (caller.via.kind === 'session') store.sessions.remove(caller, caller.via.id)
    },
    authenticate(credentials) {
      const via =
        credentials.bearer === null ? findSession(store, credentials, now()) : findToken(store, credentials.bearer, now())
      if (!via.ok) return via
      const user = store.users.get(via.value.userId)
      if (user === null) return refuse('session_missing')
      const { kind, id } = via.value
      return ok({ userId: user.id, username: user.username, role: user.role, via: { kind, id } })
    },
    user(caller) {
      const user = store.users.get(caller.userId)
      if (user === null) throw new Error('a caller was authenticated as a user who is not there')
      return toUser(user)
    },
    createToken(caller, name) {
      const createdAt = now()
      const token = { id: newId('token', createdAt), name, createdAt }
      const secret = tokenPrefix + makeSecret()
      store.tokens.create(caller, { ...token, hash: hashSecret(secret) })
      return { ...token, secret }
    },
    listTokens: (caller) => store.tokens.list(caller),
    revokeToken: (caller, tokenId) =>
      store.tokens.revoke(caller, tokenId, now()) ? ok('revoked') : refuse('thing_unknown', { kind: 'token' }),
    acceptance: () => store.acceptances.latest(),
  }
}

function newId(noun: IdNoun, at: number): string {
  return makeId(noun, at, randomBytes(16))
}

/** The first account takes the developer preview, once for the installation; table and ledger say so. */
function acceptPreview(store: Store, user: UserRecord): void {
  const digest = policyDigest()
  store.acceptances.record({ policyDigest: digest, acceptedBy: user.username, acceptedAt: user.createdAt })
  store.ledger.write(
    { userId: user.id, runId: null, chatId: null },
    {
      kind: 'grant',
      source: 'user',
      payload: { basis: 'developer_preview', digest, acceptedBy: user.username, text: rootPolicy.text },
    },
  )
}

function signIn(store: Store, user: UserRecord, at: number): SignedIn {
  return { user: toUser(user), ...openSession(store, { userId: user.id }, at) }
}

function toUser({ id, username, role, createdAt }: UserRecord): User {
  return { id, username, role, createdAt }
}
