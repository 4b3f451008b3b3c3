/**
 * Who may try a password or a code, and how often.
 *
 * Two counts, both in the process and neither believing a header: by where an attempt comes from, so
 * that one address cannot try many names, and by the name that is tried, so that many addresses cannot
 * try one. A name counts the same whether somebody has it or not.
 */
import { hash, randomBytes } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { keyOfName, StorageFault, type Store } from '../storage/index.ts'
import type { Caller, Whence } from './caller.ts'
import { Delays, delayAfter, isSlow } from './delays.ts'
import { createDevices, type Devices } from './devices.ts'

/** An attempt that may be compared. It counts as wrong until it is taken back. */
export interface Attempt {
  /** It was wrong, and stays counted. */
  fail(): void
  /** It was right, or could not be compared. */
  takeBack(): void
}

/** From now on the next attempt waits longer. */
export interface Slowdown {
  /** Null when nobody has the name. */
  readonly userId: string | null
  readonly address: string
  readonly seconds: number
}

export interface Guesses {
  readonly devices: Devices
  /**
   * Contract: a browser that shows its mark for the user that it tries is counted by itself.
   * Refuses: password_delayed, rate_limited.
   */
  beginSignIn(whence: Whence, tried: { readonly username: string; readonly userId: string | null }): Result<Attempt>
  /**
   * The current password, typed by somebody who is signed in. Each session counts for itself.
   * Refuses: password_delayed.
   */
  beginChange(caller: Caller): Result<Attempt>
  /**
   * Count a code that was wrong. A right one never waits: nobody guesses 100 bits, and whoever needs
   * a code must get in while others try.
   * Refuses: rate_limited, else `refusal`.
   */
  countWrongCode(whence: Whence, refusal: ReturnType<typeof refuse>): ReturnType<typeof refuse>
}

export interface GuessesParts {
  readonly store: Pick<Store, 'installation' | 'users'>
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
  /** Take one attempt out of somebody's share: 0 when there was one, else the whole seconds until there is. */
  readonly takeAttempt: (whose: string) => number
  /** Told of each step by which an account is slowed down. */
  readonly noteSlowdown: (slowdown: Slowdown) => void
}

export function createGuesses({ store, elapsed, takeAttempt, noteSlowdown }: GuessesParts): Guesses {
  const { installation } = store
  const devices = createDevices(findDeviceKey(installation), store.users)
  const delays = new Delays(elapsed, readQuietly(() => installation.get('wrongPasswords')) ?? [])
  const shareOf = ({ address, device }: Whence) => devices.find(device) ?? address
  const save = (count: number) => {
    if (isSlow(count)) installation.set('wrongPasswords', delays.kept())
  }

  function begin(key: string, who: Omit<Slowdown, 'seconds'>): Attempt {
    const counted = delays.count(key)
    save(counted.count)
    return {
      fail() {
        if (isSlow(counted.count)) noteSlowdown({ ...who, seconds: delayAfter(counted.count) / 1000 })
      },
      takeBack() {
        counted.takeBack()
        save(counted.count)
      },
    }
  }

  return {
    devices,
    beginSignIn(whence, { username, userId }) {
      const known = devices.find(whence.device)
      const key = known !== null && known === userId ? keyOf('device', known) : keyOf('name', keyOfName(username))
      const waitMs = delays.waitOf(key)
      if (waitMs > 0) return delayed(waitMs)
      const seconds = takeAttempt(shareOf(whence))
      if (seconds > 0) return refuse('rate_limited', { seconds })
      return ok(begin(key, { userId, address: whence.address }))
    },
    beginChange(caller) {
      const key = keyOf('session', caller.via.id)
      const waitMs = delays.waitOf(key)
      return waitMs > 0 ? delayed(waitMs) : ok(begin(key, { userId: caller.userId, address: '' }))
    },
    countWrongCode(whence, refusal) {
      const seconds = takeAttempt(shareOf(whence))
      return seconds > 0 ? refuse('rate_limited', { seconds }) : refusal
    },
  }
}

function delayed(waitMs: number): ReturnType<typeof refuse> {
  return refuse('password_delayed', { seconds: Math.ceil(waitMs / 1000) })
}

/** A digest of fixed size: what was typed as a name may be long, and may be a password. */
function keyOf(kind: 'name' | 'device' | 'session', text: string): string {
  return hash('sha256', `${kind} ${text}`, 'base64url').slice(0, 22)
}

function findDeviceKey(installation: Store['installation']): Buffer {
  const kept = readQuietly(() => installation.get('deviceKey'))
  if (kept !== null) return Buffer.from(kept, 'base64url')
  const made = randomBytes(32)
  installation.set('deviceKey', made.toString('base64url'))
  return made
}

/** Counts and marks that were changed from outside are forgotten: they let nobody in, and must not stop a start. */
function readQuietly<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof StorageFault && error.refusal.code === 'sealed_value_tampered') return null
    throw error
  }
}
