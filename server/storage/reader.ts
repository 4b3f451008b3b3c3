/** A second, read-only connection: beside a running server, and for files that nobody has vouched for. */
import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from './database.ts'

export interface Reader extends Pick<Database, 'prepare' | 'close'> {
  /** Contract: the copy is one moment of the database, however busy a server is with it. */
  copyTo(path: string): Promise<void>
}

/**
 * Contract: changes nothing in the database and folds no log into it, also when it is the last to close.
 * No function or view that a planted schema names is run (`trusted_schema`).
 */
export function openReader(path: string): Reader {
  const raw = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5000 })
  for (const setting of ['trusted_schema = OFF', 'cell_size_check = ON', 'temp_store = MEMORY']) raw.pragma(setting)
  return {
    prepare<Params extends readonly unknown[], Row = never>(sql: string) {
      const statement = raw.prepare<unknown[], Row>(sql)
      return {
        get: (...params: Params) => statement.get(...params),
        all: (...params: Params) => statement.all(...params),
        iterate: (...params: Params) => statement.iterate(...params),
        run: (...params: Params) => statement.run(...params).changes,
      }
    },
    // All pages in one step: between two steps a server's commit would begin the copy anew, for ever.
    copyTo: async (target) => void (await raw.backup(target, { progress: () => 2 ** 31 - 1 })),
    close: () => void raw.close(),
  }
}

/** Turns a copy into one file that needs no log; what tells it from a bare copy of a database in use. */
export function makeSelfContained(path: string): void {
  const raw = new Sqlite(path)
  try {
    raw.pragma('journal_mode = DELETE')
  } finally {
    raw.close()
  }
}

/**
 * Take back what a writer without a log left half done: the making of a new or restored database, cut off.
 *
 * Contract: nothing else is changed, and nothing at all where no such journal lies beside the database.
 */
export function takeBackHalfDone(path: string): void {
  if (!existsSync(`${path}-journal`)) return
  const raw = new Sqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    // Any read does it, where the connection may write.
    raw.pragma('schema_version')
  } finally {
    raw.close()
  }
}

/** The name that SQLite gives to a failure (`SQLITE_CORRUPT`); null when it was not SQLite that failed. */
export function sqliteCode(error: unknown): string | null {
  return error instanceof Sqlite.SqliteError ? error.code : null
}
