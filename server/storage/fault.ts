/** The one error that leaves the store by being thrown and still has a typed answer. */
import { makeRefusal, type Refusal, type RefusalCode } from '@bridlewise/shared/refusals'
import Sqlite from 'better-sqlite3'

/**
 * The machine broke in a way that has a name: `storage_full`, `storage_failed`, `sealed_value_tampered`, `key_missing`.
 *
 * Any read or write may meet one, so they are thrown instead of widening every signature. The HTTP
 * error hook and the run executor answer with `refusal` where they would otherwise give an opaque id.
 */
export class StorageFault extends Error {
  readonly refusal: Refusal

  constructor(code: RefusalCode, facts: Readonly<Record<string, unknown>>, cause?: unknown) {
    const refusal = makeRefusal(code, facts)
    super(refusal.message, cause === undefined ? {} : { cause })
    this.name = 'StorageFault'
    this.refusal = refusal
  }
}

/** Gives an error of SQLite or of the file system the name that callers know it by; passes every other one on. */
export function nameFault(error: unknown): unknown {
  if (error instanceof Sqlite.SqliteError) return nameSqliteFault(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT') return new StorageFault('storage_full', {}, error)
  return brokenDisk.has(code) ? new StorageFault('storage_failed', { problem: `the system says ${code}` }, error) : error
}

/** What the system says of a disk, or of a process that may not open one more file; not of a path that is not there. */
const brokenDisk: ReadonlySet<string> = new Set(['EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM', 'ENOMEM', 'ESTALE'])

/** By the first two words of SQLite's own names, of which `SQLITE_IOERR_FSYNC` is one (sqlite.org/rescode.html). */
function nameSqliteFault(error: InstanceType<typeof Sqlite.SqliteError>): unknown {
  // What the row belongs to went between the check and the write: an account, a chat, a project.
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new StorageFault('thing_gone', {}, error)
  switch (error.code.split('_')[1]) {
    case 'FULL':
      return new StorageFault('storage_full', {}, error)
    case 'BUSY':
      return new StorageFault('storage_busy', {}, error)
    case 'IOERR':
    case 'CANTOPEN':
    case 'READONLY':
    case 'CORRUPT':
    case 'NOTADB':
    case 'NOMEM':
    case 'PROTOCOL':
      return new StorageFault('storage_failed', { problem: `SQLite says ${error.code}` }, error)
    default:
      return error
  }
}

/** The answer to a fault that has a name. Throws every other one. */
export function refuseFault(error: unknown): { readonly ok: false; readonly refusal: Refusal } {
  const named = nameFault(error)
  if (named instanceof StorageFault) return { ok: false, refusal: named.refusal }
  throw error
}
