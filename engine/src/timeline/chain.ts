/** The hash chain of the ledger: what an entry commits to, and how one entry commits to the one before. */
import { hash } from 'node:crypto'
import type { BeatKind } from '@bridlewise/shared/wire'
import { canonicalise } from './canonical.ts'

/** What an entry says before it has a place in the chain's hashes. All of it is plain, none of it is secret. */
export interface EntryFields {
  /** Place in the ledger, from 1, without gaps. */
  readonly seq: number
  /** Id of the beat. */
  readonly id: string
  readonly kind: BeatKind
  readonly runId: string | null
  readonly chatId: string | null
  readonly ownerId: string | null
  /** Milliseconds since 1970, as the clock said. Order is by `seq`, never by this. */
  readonly at: number
  /** From `payloadDigest`: stands for everything of the beat that is not a field here, and outlives its erasure. */
  readonly payloadDigest: string
}

export interface LedgerEntry extends EntryFields {
  /** Hash of the entry before, or `genesisHash` for the first. */
  readonly previous: string
  readonly hash: string
}

/** What the first entry follows: SHA-256 of the name of this format. */
export const genesisHash: string = hash('sha256', 'bridlewise ledger 1', 'hex')

/** A salt shorter than this would let a guess of a short payload be tried against its digest. */
const minSaltBytes = 16

/**
 * Digest a payload under a salt of its own, so that an erased payload cannot be guessed from the ledger.
 *
 * Contract: SHA-256 over the salt in hex, a line feed, and the payload as canonical JSON. Throws
 * CanonicalFault for what has no canonical form, RangeError for a salt under 16 bytes.
 */
export function payloadDigest(salt: Uint8Array, payload: unknown): string {
  if (salt.byteLength < minSaltBytes) throw new RangeError(`a payload's salt has at least ${minSaltBytes} bytes`)
  const hex = Buffer.from(salt.buffer, salt.byteOffset, salt.byteLength).toString('hex')
  return hash('sha256', `${hex}\n${canonicalise(payload)}`, 'hex')
}

/**
 * Hash an entry onto the one before: SHA-256 over the canonical JSON of all its fields with `previous`, without `hash`.
 *
 * The members are written out in canonical order, which spares sorting them a hundred thousand times a second.
 */
export function chainHash(previous: string, entry: EntryFields): string {
  const text = JSON.stringify({
    at: entry.at,
    chatId: entry.chatId,
    id: entry.id,
    kind: entry.kind,
    ownerId: entry.ownerId,
    payloadDigest: entry.payloadDigest,
    previous,
    runId: entry.runId,
    seq: entry.seq,
  })
  return hash('sha256', text, 'hex')
}

/** Give an entry its place: the same fields with `previous` and `hash`. */
export function linkEntry(previous: string, fields: EntryFields): LedgerEntry {
  return { ...fields, previous, hash: chainHash(previous, fields) }
}
