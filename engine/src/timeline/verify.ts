/** Verification of the chain: reads entries in order and names the first that does not hold. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { chainHash, genesisHash, type LedgerEntry, payloadDigest } from './chain.ts'

/** An entry with its payload where that is at hand: null when it was erased, absent when it is not checked. */
export interface VerifiableEntry extends LedgerEntry {
  readonly body?: { readonly salt: Uint8Array; readonly payload: unknown } | null
}

interface ChainHead {
  readonly seq: number
  readonly hash: string
}

interface ChainExpectation {
  /** Where the entries begin: the head of the part before them. Absent: at the very first entry. */
  readonly after?: ChainHead
  /** A head that was exported earlier. Without it a cut-off tail cannot be seen, and no verdict claims otherwise. */
  readonly head?: ChainHead
}

export interface ChainVerdict {
  readonly entries: number
  readonly head: ChainHead
  /** Entries whose payload was compared with its digest, and entries whose payload was erased. */
  readonly payloadsChecked: number
  readonly payloadsErased: number
}

/** What is wrong with the first bad entry; `details.flaw` of the refusal. */
type ChainFlaw = 'gap' | 'order' | 'previous' | 'hash' | 'payload' | 'tail' | 'head'

/** Entries between two turns of the event loop, which verification must not hold up. */
const entriesPerTurn = 500

/**
 * Verify a chain from its start, or from a known head on.
 *
 * Contract: reads each entry once, holds one at a time, and stops at the first that does not hold.
 * Refuses: ledger_broken with `seq`, `problem` and `flaw`.
 */
export async function verifyChain(
  entries: Iterable<VerifiableEntry> | AsyncIterable<VerifiableEntry>,
  expected: ChainExpectation = {},
): Promise<Result<ChainVerdict>> {
  const walk = new ChainWalk(expected)
  // Entries that are at hand are not waited for one by one: that would cost as much as hashing them.
  if (Symbol.iterator in entries) {
    for (const entry of entries) {
      if (!walk.take(entry)) break
      if (walk.turnIsDue) await nextTurn()
    }
  } else {
    for await (const entry of entries) if (!walk.take(entry)) break
  }
  return walk.end()
}

class ChainWalk {
  readonly #expected: ChainExpectation
  readonly #tally = { entries: 0, payloadsChecked: 0, payloadsErased: 0 }
  #head: ChainHead
  #flaw: Flaw | null = null

  constructor(expected: ChainExpectation) {
    this.#expected = expected
    this.#head = expected.after ?? { seq: 0, hash: genesisHash }
  }

  get turnIsDue(): boolean {
    return this.#tally.entries % entriesPerTurn === 0
  }

  /** Whether the entry holds. */
  take(entry: VerifiableEntry): boolean {
    this.#flaw = findFlaw(this.#head, entry) ?? findHeadFlaw(entry, this.#expected.head)
    if (this.#flaw !== null) return false
    if (entry.body) this.#tally.payloadsChecked += 1
    else if (entry.body === null) this.#tally.payloadsErased += 1
    this.#tally.entries += 1
    this.#head = { seq: entry.seq, hash: entry.hash }
    return true
  }

  end(): Result<ChainVerdict> {
    if (this.#flaw !== null) return refuse('ledger_broken', this.#flaw)
    const { head } = this.#expected
    if (!head || head.seq <= this.#head.seq) return ok({ ...this.#tally, head: this.#head })
    const problem = `is missing: the ledger once reached entry ${head.seq}`
    return refuse('ledger_broken', { seq: this.#head.seq + 1, problem, flaw: 'tail' satisfies ChainFlaw })
  }
}

interface Flaw extends Readonly<Record<string, unknown>> {
  readonly seq: number
  readonly problem: string
  readonly flaw: ChainFlaw
}

/** The order of the checks decides the name of the flaw: place first, then content, then the link. */
function findFlaw(head: ChainHead, entry: VerifiableEntry): Flaw | null {
  const next = head.seq + 1
  if (entry.seq > next) return { seq: next, problem: `is missing: entry ${entry.seq} comes in its place`, flaw: 'gap' }
  if (entry.seq < next) return { seq: entry.seq, problem: `comes after entry ${head.seq}`, flaw: 'order' }
  if (entry.hash !== chainHash(entry.previous, entry)) return { seq: entry.seq, problem: 'was changed', flaw: 'hash' }
  if (entry.previous !== head.hash) return { seq: entry.seq, problem: 'does not follow the entry before it', flaw: 'previous' }
  if (entry.body && entry.payloadDigest !== payloadDigest(entry.body.salt, entry.body.payload)) {
    return { seq: entry.seq, problem: 'has a payload that is not the recorded one', flaw: 'payload' }
  }
  return null
}

function findHeadFlaw(entry: VerifiableEntry, head: ChainHead | undefined): Flaw | null {
  if (head?.seq !== entry.seq || head.hash === entry.hash) return null
  return { seq: entry.seq, problem: 'is not the one that was exported as head', flaw: 'head' }
}
