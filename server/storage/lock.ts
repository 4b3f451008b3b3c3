/**
 * The lock that makes this the only server of a data home.
 *
 * It is an exclusive SQLite lock on a file of its own: the kernel drops it when the process is gone,
 * however it went, and a link or another mount leads to the same file. Nothing else in this process
 * may open `lock.db`: closing a second descriptor would drop the lock.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import Sqlite from 'better-sqlite3'
import { makePrivateFile } from './homes.ts'

export interface Lock {
  release(): void
}

/** Refuses: data_home_locked, naming the holder's process where it is known. */
export function lockDataHome(home: string): Result<Lock> {
  const path = join(home, 'lock.db')
  const pidPath = join(home, 'lock.pid')
  makePrivateFile(path)
  const lock = new Sqlite(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // For people to read; the lock is what decides.
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    lock.close()
    if (!(error instanceof Sqlite.SqliteError) || error.code !== 'SQLITE_BUSY') throw error
    return refuse('data_home_locked', { path: home, holder: readHolder(pidPath) })
  }
  return ok({
    release() {
      rmSync(pidPath, { force: true })
      lock.close()
    },
  })
}

function readHolder(pidPath: string): string {
  try {
    const pid = Number(readFileSync(pidPath, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? `process ${pid}` : 'process unknown'
  } catch {
    return 'process unknown'
  }
}
