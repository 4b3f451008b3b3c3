/** Every way in: the first account, signing in, an invitation, a new password by a code. */
import { randomBytes } from 'node:crypto'
import { policyDigest, rootPolicy } from '@bridlewise/engine'
import type { User } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { makeId } from '@bridlewise/shared/wire'
import type { Store, UserRecord } from '../storage/index.ts'
import type { Whence } from './caller.ts'
import { findCode } from './codes.ts'
import type { Devices } from './devices.ts'
import type { Guesses } from './guesses.ts'
import type { Passwords } from './password.ts'
import { openSession } from './sessions.ts'
import { createSetupCode, removeSetupCode } from './setup-code.ts'
import { toUser } from './user.ts'

export interface SignedIn {
  readonly user: User
  /** For the cookie, HttpOnly. Shown to nobody else. */
  readonly cookie: string
  /** For the reply; the client sends it back as `x-bridlewise-token`. */
  readonly token: string
  /** For later sign-ins of the same browser; proves nothing. */
  readonly device: string
  readonly expiresAt: number
}

export interface Entrance {
  setupDone(): boolean
  /** The one-time code while setup is open, for the terminal; null afterwards. */
  setupCode(): string | null
  /** Refuses: setup_done, setup_code_wrong, rate_limited, password_too_weak, hashing_busy. */
  setup(input: NewAccount, whence: Whence): Promise<Result<SignedIn>>
  /**
   * Contract: an unknown user costs as much as a wrong password, and is slowed down as much. A
   * password that was changed while it was being compared no longer lets anybody in.
   * Refuses: setup_required, password_delayed, rate_limited, hashing_busy, credentials_wrong.
   */
  login(input: Omit<NewAccount, 'code'>, whence: Whence): Promise<Result<SignedIn>>
  /**
   * Contract: of several that come with one invite, one gets an account. A refusal leaves the code usable.
   * Refuses: code_unusable, rate_limited, username_taken, password_too_weak, hashing_busy.
   */
  acceptInvite(input: NewAccount, whence: Whence): Promise<Result<SignedIn>>
  /**
   * Set a new password by a reset code.
   *
   * Contract: every session and access token of the account ends: whoever needs a code cannot say who
   * else held the old password.
   * Refuses: code_unusable, rate_limited, password_too_weak, hashing_busy.
   */
  redeemReset(input: Omit<NewAccount, 'username'>, whence: Whence): Promise<Result<SignedIn>>
}

interface NewAccount {
  readonly code: string
  readonly username: string
  readonly password: string
}

export interface EntranceParts {
  readonly store: Store
  readonly now: () => number
  readonly passwords: Passwords
  readonly guesses: Guesses
}

/** While nobody has set up, a new setup code is written to the data home. */
export function createEntrance({ store, now, passwords, guesses }: EntranceParts): Entrance {
  const setupCode = store.users.exist() ? null : createSetupCode(store.homes.data)
  if (setupCode === null) removeSetupCode(store.homes.data)
  const signIn = (user: UserRecord, at: number) => openFor({ store, devices: guesses.devices }, user, at)

  return {
    setupDone: () => store.users.exist(),
    setupCode: () => (store.users.exist() ? null : (setupCode?.text ?? null)),
    async setup({ code, username, password }, whence) {
      if (setupCode === null || store.users.exist()) return refuse('setup_done')
      if (!setupCode.matches(code)) return guesses.countWrongCode(whence, refuse('setup_code_wrong'))
      const record = await passwords.hash(password)
      if (!record.ok) return record
      const at = now()
      const signedIn = store.transaction((): Result<SignedIn> => {
        const made = store.users.createFirst({
          id: newUserId(at),
          username,
          role: 'admin',
          password: record.value,
          createdAt: at,
        })
        if (!made.ok) return made
        acceptPreview(store, made.value)
        return ok(signIn(made.value, at))
      })
      if (signedIn.ok) setupCode.remove()
      return signedIn
    },
    async login({ username, password }, whence) {
      if (!store.users.exist()) return refuse('setup_required')
      const user = store.users.findByName(username)
      const attempt = guesses.beginSignIn(whence, { username, userId: user?.id ?? null })
      if (!attempt.ok) return attempt
      const compared = await passwords.verify(password, user?.password ?? null)
      if (!compared.ok) {
        attempt.value.takeBack()
        return compared
      }
      const { match, renewed } = compared.value
      if (user === null || !match || store.users.get(user.id)?.epoch !== user.epoch) {
        attempt.value.fail()
        return refuse('credentials_wrong')
      }
      attempt.value.takeBack()
      if (renewed !== null) store.users.renewPassword({ userId: user.id }, renewed)
      return ok(signIn(user, now()))
    },
    async acceptInvite({ code, username, password }, whence) {
      const before = findCode(store, { kind: 'invite', code }, now())
      if (!before.ok) return guesses.countWrongCode(whence, before)
      if (store.users.findByName(username) !== null) return refuse('username_taken', { username })
      const record = await passwords.hash(password)
      if (!record.ok) return record
      const at = now()
      return store.transaction((): Result<SignedIn> => {
        const invite = findCode(store, { kind: 'invite', code }, at)
        if (!invite.ok) return invite
        const { role } = invite.value.purpose
        const made = store.users.create({ id: newUserId(at), username, role, password: record.value, createdAt: at })
        if (!made.ok) return made
        if (!store.codes.take(invite.value.id)) throw new Error('a code was taken within a transaction that had read it')
        return ok(signIn(made.value, at))
      })
    },
    async redeemReset({ code, password }, whence) {
      const before = findCode(store, { kind: 'reset', code }, now())
      if (!before.ok) return guesses.countWrongCode(whence, before)
      const record = await passwords.hash(password)
      if (!record.ok) return record
      const at = now()
      return store.transaction((): Result<SignedIn> => {
        const reset = findCode(store, { kind: 'reset', code }, at)
        const owner = { userId: reset.ok ? reset.value.purpose.userId : '' }
        const user = store.users.get(owner.userId)
        if (!reset.ok || user === null || !store.codes.take(reset.value.id)) return refuse('code_unusable')
        store.users.setPassword(owner, record.value)
        store.sessions.removeOthers(owner, null)
        store.tokens.revokeAll(owner, at)
        return ok(signIn({ ...user, epoch: user.epoch + 1 }, at))
      })
    },
  }
}

function newUserId(at: number): string {
  return makeId('user', at, randomBytes(16))
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

function openFor(parts: { readonly store: Store; readonly devices: Devices }, user: UserRecord, at: number): SignedIn {
  return { user: toUser(user), device: parts.devices.markOf(user), ...openSession(parts.store, { userId: user.id }, at) }
}
