/** Verification of the whole ledger: the chain, and each payload against the digest that the chain holds. */
import { type EntryFields, type LedgerEntry, verifyChain } from '@bridlewise/engine'
import { bodyCell, digestBody } from './beat-body.ts'
import type { StoreContext } from './context.ts'
import { StorageFault } from './fault.ts'
import type { beats } from './schema/ledger.ts'

export interface Verification {
  readonly valid: boolean
  readonly entries: number
  /** Entries whose payload was erased on request; the chain holds without it. */
  readonly erased: number
  readonly head: string | null
  /** Names the newest entry of a chain that holds. Kept elsewhere, it shows later that the ledger was cut off or written anew. */
  readonly receipt: string | null
  readonly broken: { readonly seq: number; readonly problem: string } | null
}

type Row = typeof beats.$inferSelect & { readonly sealed: Buffer | null; readonly erasedOnRequest: 0 | 1 }

interface Tally {
  entries: number
  erased: number
  head: string | null
  flaw: { readonly seq: number; readonly problem: string } | null
}

/** What verification needs of a store; reading is enough. */
export interface VerifierParts {
  readonly database: Pick<StoreContext['database'], 'prepare'>
  readonly seal: StoreContext['seal']
}

/** Rows read at once. A reader held open across turns of the event loop would keep every write waiting. */
const slice = 500

/** `receipt` is one of an earlier verification, of this ledger or of what it once was. */
export type Verify = (signal?: AbortSignal, receipt?: string) => Promise<Verification>

export function createVerifier({ database, seal }: VerifierParts): Verify {
  const after = database.prepare<[number, number], Row>(
    `SELECT beats.*, sealed, EXISTS (SELECT 1 FROM erasures WHERE erasures.chatId = beats.chatId) AS erasedOnRequest
     FROM beats LEFT JOIN beat_payloads ON beat_payloads.seq = beats.seq WHERE beats.seq > ? ORDER BY beats.seq LIMIT ?`,
  )

  /** Yields entries until the first whose payload does not hold, which it notes in the tally. */
  function* walk(tally: Tally, signal: AbortSignal | undefined): Generator<LedgerEntry> {
    for (let last = Number.MIN_SAFE_INTEGER; ; ) {
      signal?.throwIfAborted()
      const rows = after.all(last, slice)
      for (const row of rows) {
        yield toEntry(row)
        const problem = row.sealed === null ? findLoss(row) : findChange(row, row.sealed)
        if (problem !== null) {
          tally.flaw = { seq: row.seq, problem }
          return
        }
        tally.entries += 1
        tally.head = row.hash
        if (row.sealed === null) tally.erased += 1
        last = row.seq
      }
      if (rows.length < slice) return
    }
  }

  function findChange(row: Row, sealed: Buffer): string | null {
    try {
      const text = seal.open(bodyCell(row), sealed)
      return digestBody(text) === row.payloadDigest ? null : 'has a payload that is not the recorded one'
    } catch (error) {
      if (error instanceof StorageFault) return 'has a payload that was changed or does not belong there'
      throw error
    }
  }

  return async (signal, receipt) => {
    const tally: Tally = { entries: 0, erased: 0, head: null, flaw: null }
    const chain = await verifyChain(walk(tally, signal), receipt === undefined ? {} : { head: readReceipt(receipt) })
    const { entries, erased, head } = tally
    // A walk that stopped at a flaw has not reached the noted head, which is then no news.
    const broken = tally.flaw ?? (chain.ok ? null : readFlaw(chain.refusal.details))
    const valid = broken === null
    return { valid, entries, erased, head, receipt: valid && head !== null ? `${entries}:${head}` : null, broken }
  }
}

/** Number and hash of the newest entry. Throws RangeError for anything else. */
function readReceipt(receipt: string): { readonly seq: number; readonly hash: string } {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(receipt) ?? []
  if (seq === undefined || hash === undefined) throw new RangeError('not a receipt of a ledger')
  return { seq: Number(seq), hash }
}

function findLoss(row: Row): string | null {
  return row.erasedOnRequest === 1 ? null : 'has lost its payload, and nobody asked to erase it'
}

function toEntry(row: typeof beats.$inferSelect): LedgerEntry {
  const { seq, id, runId, chatId, at, payloadDigest, previous, hash } = row
  return { seq, id, kind: row.kind as EntryFields['kind'], runId, chatId, ownerId: row.userId, at, payloadDigest, previous, hash }
}

/** What `ledger_broken` says in its details. */
function readFlaw(details: Readonly<Record<string, unknown>> | undefined): { readonly seq: number; readonly problem: string } {
  return { seq: Number(details?.['seq']), problem: String(details?.['problem']) }
}
