/** Passwords: scrypt with its parameters stored, a floor under them, and a cap on how many run at once. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { createTurns } from './turns.ts'

export interface Passwords {
  /** Refuses: password_too_weak, hashing_busy. */
  hash(password: string): Promise<Result<string>>
  /**
   * Contract: costs the same whether the record is missing, below the floor or sound. A record below
   * the floor never matches, whatever its password. `renewed` is a record to store instead, or null.
   * Refuses: hashing_busy.
   */
  verify(password: string, record: string | null): Promise<Result<Comparison>>
}

export interface Comparison {
  readonly match: boolean
  readonly renewed: string | null
}

/** Cost of one hash: 128 · N · r bytes of memory. */
export interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** 128 MiB and about 0.4 s a hash. Nothing weaker is ever honoured. */
export const floor: Cost = { N: 2 ** 17, r: 8, p: 1 }

/** What a planted record may not make this process spend. */
const ceiling: Cost = { N: 2 ** 20, r: 16, p: 4 }

export const leastLength = 8
export const mostLength = 1024
const saltBytes = 16
const hashBytes = 32
/** 256 MiB at most, and half of the thread pool. */
export const atOnce = 2
/** Hashes that wait for their turn; about four seconds of work. */
export const mostWaiting = 16
/** After which a caller who was turned away finds a place. */
const busySeconds = 5

interface Stored {
  readonly cost: Cost
  readonly salt: Buffer
  readonly hash: Buffer
}

export function createPasswords(cost: Cost = floor): Passwords {
  const turn = createTurns({ atOnce, waiting: mostWaiting })
  // What an unknown user's password is compared with: nobody knows its preimage, this process included.
  const nobody: Stored = { cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) }

  async function derive(password: string, { cost, salt }: Pick<Stored, 'cost' | 'salt'>): Promise<Result<Buffer>> {
    const derived = await turn(() => deriveKey(password.normalize('NFC'), salt, { ...cost, maxmem: 256 * cost.N * cost.r }))
    return derived === null ? refuse('hashing_busy', { seconds: busySeconds }) : ok(derived)
  }

  async function makeRecord(password: string): Promise<Result<string>> {
    const salt = randomBytes(saltBytes)
    const derived = await derive(password, { cost, salt })
    return derived.ok ? ok(writeRecord({ cost, salt, hash: derived.value })) : derived
  }

  return {
    async hash(password) {
      const length = [...password.normalize('NFC')].length
      if (length < leastLength || password.length > mostLength) return refuse('password_too_weak', { least: leastLength })
      return makeRecord(password)
    },
    async verify(password, record) {
      const stored = record === null ? null : readRecord(record)
      const against = stored ?? nobody
      const given = await derive(password.slice(0, mostLength), against)
      if (!given.ok) return given
      const match = timingSafeEqual(given.value, against.hash) && stored !== null && password.length <= mostLength
      const renewed = match && isWeaker(against.cost, cost) ? await makeRecord(password) : null
      // Where there was no turn for it, the next sign-in renews the record.
      return ok({ match, renewed: renewed?.ok ? renewed.value : null })
    },
  }
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

function writeRecord({ cost, salt, hash }: Stored): string {
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Null for anything that is not a record within floor and ceiling. */
function readRecord(record: string): Stored | null {
  const [scheme, N, r, p, salt, hash] = record.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return null
  const stored = {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
  const sound = stored.salt.length >= saltBytes && stored.hash.length === hashBytes
  return sound && isWithin(stored.cost) ? stored : null
}

function isWithin(cost: Cost): boolean {
  const names = ['N', 'r', 'p'] as const
  return names.every((name) => cost[name] >= floor[name] && cost[name] <= ceiling[name])
}

function isWeaker(cost: Cost, than: Cost): boolean {
  return cost.N < than.N || cost.r < than.r || cost.p < than.p
}
