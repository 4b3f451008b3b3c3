/** Gives the room of what was erased back to the disk, and leaves no older copy of a page in the log. */
import type { StoreContext } from './context.ts'

export interface FileSizes {
  /** Of the database without its log, in bytes. */
  readonly file: number
  /** Of those, in pages that hold nothing. */
  readonly unused: number
}

export interface Reclaim {
  measure(): FileSizes
  /** Cut some unused pages off the end of the file, in one commit. False when there is nothing worth it. */
  step(): boolean
  /** Fold what the log holds by now into the database: often a little, where SQLite by itself does much at once. */
  foldLog(): void
  /**
   * Fold the log into the database and cut it to nothing: it holds pages as they were before an erasure.
   *
   * Contract: waits for nobody. False when a reader, such as a backup, still needs it.
   */
  truncateLog(): boolean
  /**
   * Write the whole file anew, without gaps, and make it one that gives room back in steps.
   *
   * Contract: holds the event loop for as long as it takes, so no server does it while it serves; needs
   * about twice the size of the file free.
   */
  rebuild(): void
}

/** Pages cut off at once. Each is moved and what points at it is changed. */
const pagesAtOnce = 200
/** Pages kept for what is written next: a file that shrinks and grows all day costs more than it saves. */
const pagesKept = 256
/** As SQLite answers; a database that an older version made has 0 until it is rebuilt. */
const incremental = 2

export function createReclaim({ database }: Pick<StoreContext, 'database'>): Reclaim {
  const ask = (name: string) =>
    Number(Object.values(database.prepare<[], Record<string, unknown>>(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)

  return {
    measure() {
      const page = ask('page_size')
      return { file: page * ask('page_count'), unused: page * ask('freelist_count') }
    },
    step() {
      const spare = ask('freelist_count') - pagesKept
      if (ask('auto_vacuum') !== incremental || spare < pagesAtOnce) return false
      database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`)
      return true
    },
    foldLog: () => void ask('wal_checkpoint(PASSIVE)'),
    truncateLog() {
      const patience = ask('busy_timeout')
      ask('busy_timeout = 0')
      try {
        return ask('wal_checkpoint(TRUNCATE)') === 0
      } finally {
        ask(`busy_timeout = ${patience}`)
      }
    },
    rebuild() {
      // In a file: the copy that SQLite makes meanwhile is as large as the database.
      database.exec('PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL')
      try {
        database.exec('VACUUM')
      } finally {
        database.exec('PRAGMA temp_store = MEMORY')
      }
    },
  }
}
