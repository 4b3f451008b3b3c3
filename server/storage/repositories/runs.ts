/** The record of runs: who asked, what answers, how it stands. Claiming is in `executions.ts`. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { Outcome, Run, RunMode } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner, Page, PageRequest } from '../pages.ts'
import type { runs } from '../schema/runs.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface RunDraft {
  readonly id: string
  readonly chatId: string
  readonly projectId: string | null
  readonly mode: RunMode
  readonly model: Run['model']
  readonly fixture: boolean
  /** The `Idempotency-Key` it was started with. One run an owner and key, also after a crash. */
  readonly idempotencyKey: string | null
  readonly createdAt: number
}

export interface RunFilter extends PageRequest {
  readonly chatId?: string | undefined
}

export interface Runs {
  /** Status `queued`. Contract: a second run with the same owner and idempotency key is a fault; look first. */
  create(owner: Owner, draft: RunDraft): Run
  get(owner: Owner, runId: string): Run | null
  /** In the order of `runIds`, without those that are not the owner's. */
  getMany(owner: Owner, runIds: readonly string[]): readonly Run[]
  findByIdempotencyKey(owner: Owner, key: string): Run | null
  /** Newest first. */
  list(owner: Owner, filter: RunFilter): Page<Run>
  /** Queued or running, oldest first. */
  listActive(owner: Owner): readonly Run[]
  /** `queued` to `running`. Refuses: thing_unknown, run_already_ended. */
  begin(owner: Owner, runId: string, at: number): Result<Run>
  /**
   * To the outcome's terminal status.
   *
   * Contract: a terminal status never changes again.
   * Refuses: thing_unknown, run_already_ended.
   */
  end(owner: Owner, runId: string, ending: { readonly outcome: Outcome; readonly at: number }): Result<Run>
}

export const runOutcome: SealedColumn = { table: 'runs', column: 'outcome', row: 'id', parent: 'chatId', owner: 'userId' }

type Row = Omit<typeof runs.$inferSelect, 'fixture'> & { readonly fixture: 0 | 1 }

export function createRuns({ database, seal, bootId }: StoreContext): Runs {
  const insert = database.prepare<
    [string, string, string, string | null, RunMode, string, string, string, number, string | null, string, number]
  >(
    `INSERT INTO runs (id, userId, chatId, projectId, status, mode, providerId, modelId, modelLabel, fixture, idempotencyKey, bootId, createdAt)
     VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byId = database.prepare<[string, string], Row>('SELECT * FROM runs WHERE id = ? AND userId = ?')
  const byKey = database.prepare<[string, string], Row>('SELECT * FROM runs WHERE userId = ? AND idempotencyKey = ?')
  const before = database.prepare<[string, string, number], Row>(
    'SELECT * FROM runs WHERE userId = ? AND id < ? ORDER BY id DESC LIMIT ?',
  )
  const beforeInChat = database.prepare<[string, string, string, number], Row>(
    'SELECT * FROM runs WHERE chatId = ? AND userId = ? AND id < ? ORDER BY id DESC LIMIT ?',
  )
  const active = database.prepare<[string], Row>(
    "SELECT * FROM runs WHERE userId = ? AND status IN ('queued', 'running') ORDER BY id",
  )
  const begin = database.prepare<[number, string, string]>(
    "UPDATE runs SET status = 'running', startedAt = ? WHERE id = ? AND userId = ? AND status = 'queued'",
  )
  const end = database.prepare<[string, Buffer, number, string, string]>(
    "UPDATE runs SET status = ?, outcome = ?, endedAt = ? WHERE id = ? AND userId = ? AND status IN ('queued', 'running')",
  )

  const toRun = (row: Row): Run => ({
    id: row.id,
    chatId: row.chatId,
    projectId: row.projectId,
    status: row.status,
    mode: row.mode,
    model: { providerId: row.providerId, modelId: row.modelId, label: row.modelLabel },
    fixture: row.fixture === 1,
    outcome: row.outcome === null ? null : (JSON.parse(seal.open(cellOf(row), row.outcome)) as Outcome),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  })

  function find(owner: Owner, runId: string): Run | null {
    const row = byId.get(runId, owner.userId)
    return row === undefined ? null : toRun(row)
  }

  /** Why an update of a run in `queued` or `running` changed nothing, or the run as it now is. */
  function afterChange(owner: Owner, runId: string, changed: number): Result<Run> {
    const run = find(owner, runId)
    if (run === null) return refuse('thing_unknown', { kind: 'run' })
    return changed === 1 ? ok(run) : refuse('run_already_ended', { status: run.status })
  }

  return {
    create(owner, { id, chatId, projectId, mode, model, fixture, idempotencyKey, createdAt }) {
      const { providerId, modelId, label } = model
      const flag = fixture ? 1 : 0
      insert.run(id, owner.userId, chatId, projectId, mode, providerId, modelId, label, flag, idempotencyKey, bootId, createdAt)
      const times = { createdAt, startedAt: null, endedAt: null }
      return { id, chatId, projectId, status: 'queued', mode, model, fixture, outcome: null, ...times }
    },
    get: find,
    getMany: (owner, runIds) => runIds.map((id) => find(owner, id)).filter((run) => run !== null),
    findByIdempotencyKey(owner, key) {
      const row = byKey.get(owner.userId, key)
      return row === undefined ? null : toRun(row)
    },
    list(owner, { chatId, after, limit }) {
      const mark = after ?? afterEveryId
      const rows =
        chatId === undefined ? before.all(owner.userId, mark, limit + 1) : beforeInChat.all(chatId, owner.userId, mark, limit + 1)
      const shown = rows.slice(0, limit)
      return { items: shown.map(toRun), next: rows.length > limit ? shown.at(-1)?.id : undefined }
    },
    listActive: (owner) => active.all(owner.userId).map(toRun),
    begin: (owner, runId, at) => database.transaction(() => afterChange(owner, runId, begin.run(at, runId, owner.userId))),
    end: (owner, runId, { outcome, at }) =>
      database.transaction(() => {
        const row = byId.get(runId, owner.userId)
        if (row === undefined) return refuse('thing_unknown', { kind: 'run' })
        const sealed = seal.seal(cellOf(row), JSON.stringify(outcome))
        return afterChange(owner, runId, end.run(outcome.kind, sealed, at, runId, owner.userId))
      }),
  }
}

/** Sorts after each id there can be: their alphabet ends with `z`. */
const afterEveryId = '~'

function cellOf(row: Pick<Row, 'id' | 'chatId' | 'userId'>): Cell {
  return cellIn(runOutcome, { row: row.id, parent: row.chatId, owner: row.userId })
}
