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
  let head = expected.after ?? { seq: 0, hash: genesisHash }
  const tally = { entries: 0, payloadsChecked: 0, payloadsErased: 0 }
  for await (const entry of entries) {
    const flaw = findFlaw(head, entry) ?? findHeadFlaw(entry, expected.head)
    if (flaw !== null) return refuse('ledger_broken', flaw)
    if (entry.body) tally.payloadsChecked += 1
    else if (entry.body === null) tally.payloadsErased += 1
    tally.entries += 1
    head = { seq: entry.seq, hash: entry.hash }
    if (tally.entries % entriesPerTurn === 0) await nextTurn()
  }
  if (expected.head && expected.head.seq > head.seq) {
    return refuse('ledger_broken', {
      seq: head.seq + 1,
      problem: `is missing: the ledger once reached entry ${expected.head.seq}`,
      flaw: 'tail' satisfies ChainFlaw,
    })
  }
  return ok({ ...tally, head })
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
