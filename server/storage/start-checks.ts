/** What a database has to pass before a server opens it for writing. A refusal leaves every file as it was. */
import { existsSync, statSync } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findDamage, nameDamage } from './damage.ts'
import { measureDatabase, readAfterCrashBytes, readAtStartBytes, refuseDamage } from './integrity.ts'
import { openReader, sqliteCode, takeBackHalfDone } from './reader.ts'
import { requireSpace, startFloorBytes } from './space.ts'
import { requireSafeSqlite } from './sqlite-version.ts'
import { readWitness, requireFiles, requireHead, writeWitness } from './witness.ts'

/**
 * Contract: reads through a connection that cannot write, so a log that must not be folded in is not.
 * When it answers `ok` the next close may fold it in, and the witness says so. What a first start left
 * half done is taken back before: it is no log, and nothing in it was ever acknowledged.
 * Refuses: data_home_full, data_incomplete, data_damaged, data_home_unusable, sqlite_unsafe.
 */
export function checkBeforeOpening(home: string, path: string): Result<'fit'> {
  const space = requireSpace(home, startFloorBytes)
  if (!space.ok) return space
  const files = requireFiles(home, path)
  if (!files.ok) return files
  const read = existsSync(path) && statSync(path).size > 0 ? readOnce(home, path) : ok('fit' as const)
  const witness = read.ok ? readWitness(home) : null
  if (witness?.open) writeWitness(home, { ...witness, open: false })
  return read
}

/** Everything that can be seen by reading: the SQLite, the pages of a small database, the newest ledger entry. */
function readOnce(home: string, path: string): Result<'fit'> {
  try {
    takeBackHalfDone(path)
    const reader = openReader(path)
    try {
      const version = reader.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get()?.version ?? ''
      const safe = requireSafeSqlite(version)
      if (!safe.ok) return safe
      const limit = readWitness(home)?.open ? readAfterCrashBytes : readAtStartBytes
      const problem = measureDatabase(path) <= limit ? findDamage(reader) : null
      if (problem !== null) return refuseDamage(home, problem)
      const head = requireHead(home, reader)
      return head.ok ? ok('fit') : head
    } finally {
      reader.close()
    }
  } catch (error) {
    return refuseUnreadable(home, error)
  }
}

/** Refuses: data_damaged for a file that SQLite did not write like this, data_home_unusable for one it cannot read. */
export function refuseUnreadable(home: string, error: unknown) {
  const code = sqliteCode(error)
  if (code === null) throw error
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return refuseDamage(home, nameDamage(error))
  return refuse('data_home_unusable', { path: home, problem: `its database cannot be opened (${code})` })
}
