/** The one face of accounts. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Acceptance, Store } from '../storage/index.ts'
import type { Caller, Credentials } from './caller.ts'
import { createEntrance, type Entrance } from './entrance.ts'
import { createGuesses, type GuessesParts } from './guesses.ts'
import { createOwnAccess, type OwnAccess } from './own-access.ts'
import { createPasswords, type Passwords } from './password.ts'
import { createPeople, type People } from './people.ts'
import { findSession, findToken } from './sessions.ts'

export interface AccountsPorts extends Pick<GuessesParts, 'elapsed' | 'takeAttempt' | 'noteSlowdown'> {
  readonly store: Store
  readonly now: () => number
  /** Given by tests, to try costs above the floor. */
  readonly passwords?: Passwords
}

export interface Accounts extends Entrance, OwnAccess, People {
  /**
   * Contract: reads only, apart from the time that a session or an access token was last used; call it
   * again to re-authorise a stream. A bearer decides alone when there is one.
   * Refuses: session_missing, token_missing.
   */
  authenticate(credentials: Credentials): Result<Caller>
  /** What the first account accepted at setup, for `admitDeveloperPreview`; null before. */
  acceptance(): Acceptance | null
}

/**
 * Accounts over a store.
 *
 * Contract: role and existence of a user are read at every `authenticate`, so that a demotion or a
 * logout counts from the next call on.
 */
export function createAccounts({ store, now, passwords = createPasswords(), ...ports }: AccountsPorts): Accounts {
  const guesses = createGuesses({ store, ...ports })
  return {
    ...createEntrance({ store, now, passwords, guesses }),
    ...createOwnAccess({ store, now, passwords, guesses }),
    ...createPeople({ store, now }),
    authenticate(credentials) {
      const via =
        credentials.bearer === null ? findSession(store, credentials, now()) : findToken(store, credentials.bearer, now())
      if (!via.ok) return via
      const user = store.users.get(via.value.userId)
      if (user === null) return refuse('session_missing')
      const { kind, id, blocks } = via.value
      const { username, role, epoch } = user
      return ok({ userId: user.id, username, role, epoch, blocks, via: { kind, id } })
    },
    acceptance: () => store.acceptances.latest(),
  }
}
