/** A backup: the database at one moment, in one file of its own, beside a running server or without one. */
import { closeSync, existsSync, fsyncSync, linkSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findDamage } from './damage.ts'
import { type Homes, systemProblem } from './homes.ts'
import { measureDatabase, refuseDamage } from './integrity.ts'
import type { LedgerHead } from './ledger.ts'
import { lockDataHome } from './lock.ts'
import { makeSelfContained, openReader, sqliteCode } from './reader.ts'
import { measureSpace } from './space.ts'
import { refuseUnreadable } from './start-checks.ts'
import { requireFiles, requireHead } from './witness.ts'

export interface Backup {
  readonly path: string
  readonly bytes: number
  /** Of the ledger in it; 0 for an empty one. Worth noting down: it tells this backup from every other. */
  readonly head: LedgerHead | null
  /** Whether a server had the database open meanwhile. */
  readonly beside: boolean
}

/**
 * Write a backup to `target`, an absolute path where nothing is yet.
 *
 * Contract: the file holds no key, is complete and checked when its name appears, and is readable by
 * its owner alone. The data home is not changed.
 * Refuses: backup_target_unusable, data_home_unusable, data_incomplete, data_damaged.
 */
export async function backUpStore(homes: Homes, target: string): Promise<Result<Backup>> {
  const source = join(homes.data, 'bridlewise.db')
  if (!existsSync(source)) return refuse('data_home_unusable', { path: homes.data, problem: 'it holds no database yet' })
  const fit = judgeTarget(target, measureDatabase(source))
  if (!fit.ok) return fit
  const lock = lockDataHome(homes.data)
  // Where a server holds the lock it also answers for the files; without one they have to be looked at.
  const files = lock.ok ? requireFiles(homes.data, source) : ok('there' as const)
  try {
    return files.ok ? await copyChecked(homes.data, { source, target, beside: !lock.ok }) : files
  } finally {
    if (lock.ok) lock.value.release()
  }
}

interface Copy {
  readonly source: string
  readonly target: string
  readonly beside: boolean
}

async function copyChecked(home: string, { source, target, beside }: Copy): Promise<Result<Backup>> {
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.partial`)
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    const copied = await copyTo(home, source, draft)
    if (!copied.ok) return copied
    const { size } = statSync(draft)
    // Unlike a rename, a link never takes the place of something that came in between.
    linkSync(draft, target)
    syncPath(dirname(target))
    return ok({ path: target, bytes: size, head: copied.value, beside })
  } catch (error) {
    const code = sqliteCode(error)
    const problem = code === null ? systemProblem(error) : code === 'SQLITE_FULL' ? 'its disk is full' : `SQLite says ${code}`
    return refuse('backup_target_unusable', { path: target, problem })
  } finally {
    for (const ending of ['', '-journal']) rmSync(draft + ending, { force: true })
  }
}

async function copyTo(home: string, source: string, draft: string): Promise<Result<LedgerHead | null>> {
  const reader = openReader(source)
  try {
    const head = requireHead(home, reader)
    if (!head.ok) return head
    await reader.copyTo(draft)
  } catch (error) {
    const code = sqliteCode(error)
    if (code?.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return refuseUnreadable(home, error)
    throw error
  } finally {
    reader.close()
  }
  makeSelfContained(draft)
  const copy = openReader(draft)
  try {
    const damage = findDamage(copy)
    if (damage !== null) return refuseDamage(home, damage)
    return ok(copy.prepare<[], LedgerHead>('SELECT seq, hash FROM beats ORDER BY seq DESC LIMIT 1').get() ?? null)
  } finally {
    copy.close()
    syncPath(draft)
  }
}

function judgeTarget(target: string, bytes: number): Result<'free'> {
  const unusable = (problem: string) => refuse('backup_target_unusable', { path: target, problem })
  const directory = dirname(target)
  if (!existsSync(directory)) return unusable('its directory does not exist')
  if (lstatSync(target, { throwIfNoEntry: false })) return unusable('something is there already')
  const free = measureSpace(directory)
  if (free !== null && free < bytes) return unusable(`${bytes} bytes are needed there and ${free} are free`)
  return ok('free')
}

export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
