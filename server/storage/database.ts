/** The connection: pragmas, prepared statements, transactions, and commits shared by what was queued. */
import Sqlite from 'better-sqlite3'
import { nameFault } from './fault.ts'

/** A prepared statement. `run` answers with the number of rows changed. */
export interface Statement<Params extends readonly unknown[], Row> {
  get(...params: Params): Row | undefined
  all(...params: Params): Row[]
  iterate(...params: Params): IterableIterator<Row>
  run(...params: Params): number
}

export interface Database {
  prepare<Params extends readonly unknown[], Row = never>(sql: string): Statement<Params, Row>
  /** All or nothing; inside another transaction a savepoint. What was queued before is committed first. */
  transaction<T>(work: () => T): T
  /** Runs `work` with everything else queued in this tick, in one commit; resolves when that is durable. */
  enqueue<T>(work: () => T): Promise<T>
  /** `forget` is called when a transaction was undone, for what is remembered from inside one. */
  onRollback(forget: () => void): void
  backup(path: string): Promise<void>
  exec(sql: string): void
  close(): void
}

interface Job {
  readonly work: () => void
  readonly settle: (failure: { readonly error: unknown } | null) => void
}

/** Jobs in one commit. More would hold the event loop for longer than a frame of a screen. */
const batchLimit = 512

/**
 * Open the file with the settings that everything here relies on.
 *
 * Contract: a commit has reached the disk when it returns (`synchronous=FULL`); deleted rows are
 * overwritten (`secure_delete`); functions named by a planted schema do not run (`trusted_schema`).
 */
export function openDatabase(path: string): Database {
  const raw = new Sqlite(path, { timeout: 5000 })
  for (const setting of settings) raw.pragma(setting)

  const atomically = raw.transaction((work: () => unknown) => work()).immediate
  const listeners: (() => void)[] = []
  const queue: Job[] = []
  let scheduled = false

  function commit<T>(work: () => T): T {
    try {
      return atomically(work) as T
    } catch (error) {
      for (const forget of listeners) forget()
      throw nameFault(error)
    }
  }

  function flush(): void {
    scheduled = false
    while (queue.length > 0) commitBatch(queue.splice(0, batchLimit), commit)
  }

  function flushOneBatch(): void {
    scheduled = false
    commitBatch(queue.splice(0, batchLimit), commit)
    if (queue.length > 0) schedule()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flushOneBatch)
  }

  return {
    prepare<Params extends readonly unknown[], Row = never>(sql: string): Statement<Params, Row> {
      const statement = raw.prepare<unknown[], Row>(sql)
      return {
        get: (...params) => named(() => statement.get(...params)),
        all: (...params) => named(() => statement.all(...params)),
        iterate: (...params) => statement.iterate(...params),
        run: (...params) => named(() => statement.run(...params).changes),
      }
    },
    transaction(work) {
      if (!raw.inTransaction) flush()
      return commit(work)
    },
    enqueue(work) {
      return new Promise((resolve, reject) => {
        let value: ReturnType<typeof work>
        queue.push({
          work: () => {
            value = work()
          },
          settle: (failure) => (failure === null ? resolve(value) : reject(failure.error)),
        })
        schedule()
      })
    },
    onRollback: (forget) => void listeners.push(forget),
    backup: async (target) => void (await raw.backup(target)),
    exec: (sql) => void raw.exec(sql),
    close() {
      flush()
      raw.close()
    },
  }
}

const settings = [
  // Of a new database, and before anything is in it: what is erased can be given back to the disk in steps.
  'auto_vacuum = INCREMENTAL',
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'secure_delete = ON',
  'temp_store = MEMORY',
  // Pages in the log before it is folded in: each fold writes the ends of tables and indexes once more.
  'wal_autocheckpoint = 4000',
  // After a checkpoint the log shrinks back to this many bytes.
  'journal_size_limit = 67108864',
]

function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw nameFault(error)
  }
}

/** One bad job must not take the others down: a batch that fails is committed job by job. */
function commitBatch(jobs: readonly Job[], commit: (work: () => void) => void): void {
  try {
    commit(() => {
      for (const job of jobs) job.work()
    })
  } catch (error) {
    if (jobs.length === 1) jobs[0]?.settle({ error })
    else for (const job of jobs) commitBatch([job], commit)
    return
  }
  for (const job of jobs) job.settle(null)
}
