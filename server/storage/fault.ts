/** The one error that leaves the store by being thrown and still has a typed answer. */
import { makeRefusal, type Refusal, type RefusalCode } from '@bridlewise/shared/refusals'
import Sqlite from 'better-sqlite3'

/**
 * The machine broke in a way that has a name: `storage_full`, `sealed_value_tampered`, `key_missing`.
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
  if (error instanceof Sqlite.SqliteError)
    return error.code === 'SQLITE_FULL' ? new StorageFault('storage_full', {}, error) : error
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' ? new StorageFault('storage_full', {}, error) : error
}

/** The answer to a fault that has a name. Throws every other one. */
export function refuseFault(error: unknown): { readonly ok: false; readonly refusal: Refusal } {
  const named = nameFault(error)
  if (named instanceof StorageFault) return { ok: false, refusal: named.refusal }
  throw error
}
