/** What a beat says beside its entry in the chain: one text that is digested as it is and sealed as it is. */
import { hash } from 'node:crypto'
import { CanonicalFault, canonicalise, makeWellFormed } from '@bridlewise/engine'
import type { BeatDraft, BeatSource } from '@bridlewise/shared/wire'
import type { Cell } from './seal.ts'
import { cellIn, type SealedColumn } from './sealed-column.ts'

const ofBeat = (sql: string) => `(SELECT ${sql} FROM beats WHERE beats.seq = beat_payloads.seq)`

export const beatBody: SealedColumn = {
  table: 'beat_payloads',
  column: 'sealed',
  row: ofBeat('id'),
  parent: ofBeat("coalesce(runId, chatId, '')"),
  owner: ofBeat('userId'),
  replaced: true,
}

export interface BeatBody {
  readonly source: BeatSource
  readonly derivation: readonly string[]
  readonly payload: unknown
  /** The call whose child did it. Entries of the run itself, and all older ones, have none. */
  readonly within?: string
}

/** Hex of the salt and a line feed. */
const saltLength = 32
const bodyStart = saltLength + 1

/**
 * The body as it is recorded, and its text: salt, line feed, canonical JSON, which is what the
 * engine's `payloadDigest` hashes. Keeping that text whole spares parsing and sorting when the
 * ledger is verified. `salt` has 16 bytes.
 */
export function writeBody(salt: Buffer, draft: BeatDraft): { readonly body: BeatBody; readonly text: string } {
  const given: BeatBody = { source: draft.source, derivation: draft.derivation ?? [], payload: draft.payload, ...inChild(draft) }
  const { body, text } = canonicaliseAnything(given)
  return { body, text: `${salt.toString('hex')}\n${text}` }
}

function inChild({ within }: BeatDraft): Pick<BeatBody, 'within'> {
  return within === undefined ? {} : { within }
}

export function digestBody(text: string): string {
  return hash('sha256', text, 'hex')
}

export function readBody(text: string): BeatBody {
  return JSON.parse(text.slice(bodyStart)) as BeatBody
}

export function bodyCell(beat: {
  readonly id: string
  readonly userId: string
  readonly runId: string | null
  readonly chatId: string | null
}): Cell {
  return cellIn(beatBody, { row: beat.id, parent: beat.runId ?? beat.chatId ?? '', owner: beat.userId })
}

/** Model output and file names may hold half characters, which have no canonical form; they are replaced then. */
function canonicaliseAnything(body: BeatBody): { readonly body: BeatBody; readonly text: string } {
  try {
    return { body, text: canonicalise(body) }
  } catch (error) {
    if (!(error instanceof CanonicalFault)) throw error
    const wellFormed = makeWellFormed(body) as BeatBody
    return { body: wellFormed, text: canonicalise(wellFormed) }
  }
}
