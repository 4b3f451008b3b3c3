/** The timeline ledger: one chain for the whole database, its payloads sealed beside it. */
import { genesisHash, linkEntry } from '@bridlewise/engine'
import { type Beat, type BeatDraft, type BeatKind, makeId } from '@bridlewise/shared/wire'
import { bodyCell, digestBody, readBody, writeBody } from './beat-body.ts'
import type { StoreContext } from './context.ts'
import { createVerifier, type Verify } from './ledger-verify.ts'
import type { Owner, Page } from './pages.ts'
import { createRandomPool } from './random.ts'
import type { beats } from './schema/ledger.ts'

/** Whose beat it is and what it belongs to. */
export interface BeatScope extends Owner {
  readonly runId: string | null
  readonly chatId: string | null
}

export interface BeatFilter {
  readonly runId?: string | undefined
  readonly chatId?: string | undefined
  /** The `next` of the page before: a `seq`. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface NewestFilter {
  readonly chatId: string
  readonly kinds: readonly BeatKind[]
  readonly limit: number
}

export interface LedgerHead {
  /** 0 for the empty ledger, whose hash is the genesis hash. */
  readonly seq: number
  readonly hash: string
}

export interface Ledger {
  /**
   * Contract: when it resolves the beat is durable and its `seq` follows every beat resolved before.
   * Beats and frames handed over in one tick of the event loop share one commit.
   */
  append(scope: BeatScope, draft: BeatDraft): Promise<Beat>
  /** The same inside `store.transaction`, or as a commit of its own. */
  write(scope: BeatScope, draft: BeatDraft): Beat
  /** Oldest first; erased beats are left out. */
  list(owner: Owner, filter: BeatFilter): Page<Beat>
  /** The place of a run's first entry, or null. */
  startOf(owner: Owner, runId: string): number | null
  /** Of one chat, of these kinds, newest first; erased beats are left out. */
  newest(owner: Owner, filter: NewestFilter): readonly Beat[]
  head(): LedgerHead
  /** Walks the whole chain in slices, so the event loop stays free. Rejects with the signal's reason. */
  readonly verify: Verify
}

type Row = typeof beats.$inferSelect & { readonly sealed: Buffer }

/** A payload that is still to be erased counts as erased. */
const select = `SELECT beats.*, sealed FROM beats JOIN beat_payloads ON beat_payloads.seq = beats.seq
  WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.chatId = beats.chatId) AND`
const inOrder = 'AND beats.seq > ? ORDER BY beats.seq LIMIT ?'

export function createLedger(context: StoreContext): Ledger {
  const { database, seal, now } = context
  const insertEntry = database.prepare<
    [number, string, string, string, string | null, string | null, number, string, string, string]
  >(
    `INSERT INTO beats (seq, id, kind, userId, runId, chatId, at, payloadDigest, previous, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertBody = database.prepare<[number, Buffer]>('INSERT INTO beat_payloads (seq, sealed) VALUES (?, ?)')
  const newest = database.prepare<[], LedgerHead>('SELECT seq, hash FROM beats ORDER BY seq DESC LIMIT 1')
  const all = database.prepare<[string, number, number], Row>(`${select} userId = ? ${inOrder}`)
  const ofRun = database.prepare<[string, string, number, number], Row>(`${select} runId = ? AND userId = ? ${inOrder}`)
  const ofChat = database.prepare<[string, string, number, number], Row>(`${select} chatId = ? AND userId = ? ${inOrder}`)
  const start = database.prepare<[string, string], { seq: number | null }>(
    'SELECT min(seq) AS seq FROM beats WHERE runId = ? AND userId = ?',
  )
  const newestOfKinds = database.prepare<[string, string, string, number], Row>(
    `${select} chatId = ? AND userId = ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY beats.seq DESC LIMIT ?`,
  )
  const drawId = createRandomPool(16)
  const drawSalt = createRandomPool(16)

  // The newest entry, remembered between appends. An undone transaction takes the memory with it.
  let known: LedgerHead | null = null
  database.onRollback(() => {
    known = null
  })

  function head(): LedgerHead {
    known ??= newest.get() ?? { seq: 0, hash: genesisHash }
    return known
  }

  function put(scope: BeatScope, draft: BeatDraft): Beat {
    const { userId, runId, chatId } = scope
    const at = now()
    const id = makeId('beat', at, drawId())
    const { body, text } = writeBody(drawSalt(), draft)
    const before = head()
    const { kind } = draft
    const seq = before.seq + 1
    const payloadDigest = digestBody(text)
    const { hash } = linkEntry(before.hash, { seq, id, kind, runId, chatId, ownerId: userId, at, payloadDigest })
    insertEntry.run(seq, id, kind, userId, runId, chatId, at, payloadDigest, before.hash, hash)
    insertBody.run(seq, seal.seal(bodyCell({ id, userId, runId, chatId }), text))
    known = { seq, hash }
    return { id, seq, runId, chatId, at, kind, ...body } as Beat
  }

  function findRows(owner: Owner, { runId, chatId, after = '0', limit }: BeatFilter): Row[] {
    const mark = Number(after)
    if (runId !== undefined) return ofRun.all(runId, owner.userId, mark, limit)
    if (chatId !== undefined) return ofChat.all(chatId, owner.userId, mark, limit)
    return all.all(owner.userId, mark, limit)
  }

  return {
    append: (scope, draft) => database.enqueue(() => put(scope, draft)),
    write: (scope, draft) => database.transaction(() => put(scope, draft)),
    list(owner, filter) {
      const rows = findRows(owner, { ...filter, limit: filter.limit + 1 })
      const shown = rows.slice(0, filter.limit)
      const next = rows.length > filter.limit ? String(shown.at(-1)?.seq) : undefined
      return { items: shown.map((row) => toBeat(row, seal.open(bodyCell(row), row.sealed))), next }
    },
    startOf: ({ userId }, runId) => start.get(runId, userId)?.seq ?? null,
    newest: (owner, { chatId, kinds, limit }) =>
      newestOfKinds
        .all(chatId, owner.userId, JSON.stringify(kinds), limit)
        .map((row) => toBeat(row, seal.open(bodyCell(row), row.sealed))),
    head,
    verify: createVerifier(context),
  }
}

function toBeat({ id, seq, runId, chatId, at, kind }: Row, text: string): Beat {
  return { id, seq, runId, chatId, at, kind, ...readBody(text) } as Beat
}
