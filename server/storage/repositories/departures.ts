/** What left for a model: a manifest of each request, and every text that was part of one, as it left. */
import { createHmac, randomBytes } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Departure, DeparturePurpose, Egress, EgressPart } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner, Page, PageRequest } from '../pages.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import type { Installation } from './installation.ts'

export interface DepartureScope extends Owner {
  readonly runId: string
  readonly chatId: string
}

export interface DepartureDraft {
  readonly id: string
  readonly step: number
  readonly at: number
  readonly egress: Egress
  readonly purpose: DeparturePurpose
  /** How many parts are those of the run's request before, from its first on. */
  readonly same: number
  /** The parts after these, each with its text; null for what no text is. */
  readonly fresh: readonly { readonly part: EgressPart; readonly text: string | null }[]
}

/** A request of a probe: fixed words of ours, of which no text is kept. */
export type ProbeDraft = Pick<DepartureDraft, 'id' | 'step' | 'at' | 'egress'>

/** Requests of probes that are kept of an account. */
export const probesPerOwner = 1000

/** A part with the name that its text is kept under. */
export interface KeptPart extends EgressPart {
  readonly name: string | null
}

export interface KeptDeparture extends Departure {
  readonly held: readonly KeptPart[]
}

/** A kept text. `number` counts texts of the installation in the order in which they first left. */
export interface DepartedText {
  readonly number: number
  readonly chatId: string
  readonly name: string
  readonly text: string
}

export interface Departures {
  /** Contract: when it resolves the request is on record, with every text of it. */
  append(scope: DepartureScope, draft: DepartureDraft): Promise<void>
  /** The same for a request of a probe. Contract: the oldest go when there are more than `probesPerOwner`. */
  appendProbe(owner: Owner, draft: ProbeDraft): Promise<void>
  /** The requests of a run with their parts, in order. Refuses: thing_unknown for a run that is not the owner's. */
  ofRun(owner: Owner, runId: string): Result<readonly KeptDeparture[]>
  /** The requests of a chat, in order. Empty for one that is not the owner's. */
  ofChat(owner: Owner, chatId: string): readonly KeptDeparture[]
  /** The newest first: those of one project, or all. */
  recent(owner: Owner, filter: PageRequest & { readonly projectId?: string | undefined }): Page<Departure>
  /** Chats of the owner from which something left, the newest first. */
  chats(owner: Owner): readonly string[]
  /** Texts before number `before`, newest first, at most `limit` of them. */
  texts(owner: Owner, range: { readonly before: number; readonly limit: number }): readonly DepartedText[]
}

export const departureManifest: SealedColumn = {
  table: 'departures',
  column: 'manifest',
  row: 'id',
  parent: "coalesce(runId, '')",
  owner: 'userId',
}
export const departedText: SealedColumn = {
  table: 'departed_texts',
  column: 'content',
  row: 'name',
  parent: 'chatId',
  owner: 'userId',
}

interface Manifest {
  readonly egress: Egress
  /** Absent in older ones, which were answers and summaries. */
  readonly purpose?: DeparturePurpose
  readonly same: number
  readonly fresh: readonly KeptPart[]
}

interface Row extends Owner, Pick<Departure, 'runId' | 'chatId'>, Pick<DepartureDraft, 'id' | 'step' | 'at'> {
  readonly number: number
  readonly manifest: Buffer
}

/** A body of which no text is told apart. */
const ofNoText: Omit<EgressPart, 'bytes'> = { kind: 'framing', digest: null, tool: null, callId: null, files: [], redactions: {} }

interface TextRow extends Omit<DepartedText, 'text'> {
  readonly content: Buffer
}

export function createDepartures({ database, seal }: StoreContext, installation: Installation): Departures {
  const insert = database.prepare<[string, string, string | null, string | null, number, number, Buffer]>(
    'INSERT INTO departures (id, userId, chatId, runId, step, at, manifest) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const insertText = database.prepare<[string, string, string, Buffer]>(
    'INSERT INTO departed_texts (userId, chatId, name, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const isKept = database.prepare<[string, string], { number: number }>(
    'SELECT number FROM departed_texts WHERE chatId = ? AND name = ?',
  )
  const runOf = database.prepare<[string, string], { id: string }>('SELECT id FROM runs WHERE id = ? AND userId = ?')
  const byRun = database.prepare<[string, string], Row>('SELECT * FROM departures WHERE runId = ? AND userId = ? ORDER BY number')
  const byChat = database.prepare<[string, string], Row>(
    `SELECT * FROM departures WHERE chatId = ? AND userId = ?
     AND EXISTS (SELECT 1 FROM chats WHERE chats.id = chatId) ORDER BY number`,
  )
  const recent = database.prepare<[string, number, number], Row>(
    `SELECT * FROM departures WHERE userId = ? AND number < ?
     AND (chatId IS NULL OR EXISTS (SELECT 1 FROM chats WHERE chats.id = chatId)) ORDER BY number DESC LIMIT ?`,
  )
  const recentInProject = database.prepare<[string, string, number, number], Row>(
    `SELECT departures.* FROM runs CROSS JOIN departures ON departures.runId = runs.id
     WHERE runs.projectId = ? AND runs.userId = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  )
  const forgetProbes = database.prepare<[string, string, number]>(
    `DELETE FROM departures WHERE userId = ? AND chatId IS NULL AND number <=
     (SELECT number FROM departures WHERE userId = ? AND chatId IS NULL ORDER BY number DESC LIMIT 1 OFFSET ?)`,
  )
  const chats = database.prepare<[string], { chatId: string }>(
    `SELECT chatId FROM departures WHERE userId = ? AND EXISTS (SELECT 1 FROM chats WHERE chats.id = chatId)
     GROUP BY chatId ORDER BY max(number) DESC`,
  )
  const textsBefore = database.prepare<[string, number, number], TextRow>(
    `SELECT number, chatId, name, content FROM departed_texts WHERE userId = ? AND number < ?
     AND EXISTS (SELECT 1 FROM chats WHERE chats.id = chatId) ORDER BY number DESC LIMIT ?`,
  )

  function put(scope: DepartureScope, { id, step, at, egress, purpose, same, fresh }: DepartureDraft): void {
    const { userId, chatId, runId } = scope
    const secret = secretOf(installation)
    const kept = fresh.map(({ part, text }): KeptPart => {
      if (text === null) return { ...part, name: null }
      const name = createHmac('sha256', secret).update(text).digest('hex')
      keepText(scope, name, text)
      return { ...part, name }
    })
    const manifest: Manifest = { egress, purpose, same, fresh: kept }
    insert.run(id, userId, chatId, runId, step, at, seal.seal(manifestCell({ id, runId, userId }), JSON.stringify(manifest)))
  }

  function putProbe({ userId }: Owner, { id, step, at, egress }: ProbeDraft): void {
    const whole: KeptPart = { ...ofNoText, bytes: egress.bytes, name: null }
    const manifest: Manifest = { egress, purpose: 'probe', same: 0, fresh: [whole] }
    const sealed = seal.seal(manifestCell({ id, runId: null, userId }), JSON.stringify(manifest))
    insert.run(id, userId, null, null, step, at, sealed)
    forgetProbes.run(userId, userId, probesPerOwner)
  }

  function keepText({ userId, chatId }: DepartureScope, name: string, text: string): void {
    if (isKept.get(chatId, name) !== undefined) return
    insertText.run(userId, chatId, name, seal.seal(textCell({ userId, chatId, name }), text))
  }

  function open({ manifest, id, runId, userId }: Row): Manifest {
    return JSON.parse(seal.open(manifestCell({ id, runId, userId }), manifest)) as Manifest
  }

  function tell(row: Row): Departure {
    const { id, runId, chatId, step, at } = row
    const { egress, purpose = 'answer', same, fresh } = open(row)
    return { id, runId, chatId, step, at, egress, purpose, parts: same + fresh.length }
  }

  /** Each manifest says what is new in it, so they are read from the run's first on. */
  function read(rows: readonly Row[]): KeptDeparture[] {
    const before = new Map<string | null, readonly KeptPart[]>()
    return rows.map((row) => {
      const { id, runId, chatId, step, at } = row
      const { egress, purpose = 'answer', same, fresh } = open(row)
      const held = [...(before.get(runId) ?? []).slice(0, same), ...fresh]
      before.set(runId, held)
      return { id, runId, chatId, step, at, egress, purpose, parts: held.length, held }
    })
  }

  return {
    appendProbe: (owner, draft) => database.enqueue(() => putProbe(owner, draft)),
    append: (scope, draft) => database.enqueue(() => put(scope, draft)),
    ofRun(owner, runId) {
      if (runOf.get(runId, owner.userId) === undefined) return refuse('thing_unknown', { kind: 'run' })
      return ok(read(byRun.all(runId, owner.userId)))
    },
    ofChat: (owner, chatId) => read(byChat.all(chatId, owner.userId)),
    recent({ userId }, { projectId, after, limit }) {
      const before = Number(after ?? Number.MAX_SAFE_INTEGER)
      const rows =
        projectId === undefined
          ? recent.all(userId, before, limit + 1)
          : recentInProject.all(projectId, userId, before, limit + 1)
      const shown = rows.slice(0, limit)
      return { items: shown.map(tell), next: rows.length > limit ? String(shown.at(-1)?.number) : undefined }
    },
    chats: (owner) => chats.all(owner.userId).map(({ chatId }) => chatId),
    texts: ({ userId }, { before, limit }) =>
      textsBefore.all(userId, before, limit).map(({ number, chatId, name, content }) => {
        return { number, chatId, name, text: seal.open(textCell({ userId, chatId, name }), content) }
      }),
  }
}

/** Made once; a change of keys seals it anew and leaves it as it is. */
function secretOf(installation: Installation): Buffer {
  const stored = installation.get('departureKey')
  if (stored !== null) return Buffer.from(stored, 'base64url')
  const secret = randomBytes(32)
  installation.set('departureKey', secret.toString('base64url'))
  return secret
}

function manifestCell({ id, runId, userId }: Pick<Row, 'id' | 'runId' | 'userId'>) {
  return cellIn(departureManifest, { row: id, parent: runId ?? '', owner: userId })
}

function textCell({ name, chatId, userId }: { readonly name: string; readonly chatId: string; readonly userId: string }) {
  return cellIn(departedText, { row: name, parent: chatId, owner: userId })
}
