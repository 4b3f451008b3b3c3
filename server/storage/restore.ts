/** A restore: a backup is judged, opened with the keys that are here, and only then put in place of what was there. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { syncPath } from './backup.ts'
import { judgeContent, judgeHeader, unusable } from './candidate.ts'
import { type Database, openDatabase } from './database.ts'
import { refuseFault } from './fault.ts'
import { type Homes, makePrivateFile, prepareHomes } from './homes.ts'
import { type KeyHome, openKeyHome, type Unlock } from './key-access.ts'
import type { LedgerHead } from './ledger.ts'
import { createVerifier } from './ledger-verify.ts'
import { lockDataHome } from './lock.ts'
import { migrate } from './migrate.ts'
import { createSeal } from './seal.ts'
import { requireSpace, startFloorBytes } from './space.ts'
import { witnessName, writeWitness } from './witness.ts'

export interface Restored {
  readonly entries: number
  readonly head: string | null
  /** Where the database that was there lies now; null when there was none. */
  readonly movedTo: string | null
  /** Access tokens that were valid in the backup. They are revoked: one may have been revoked since. */
  readonly revokedTokens: number
}

export interface RestoreOptions {
  readonly now?: () => number
  /** For a key home that is protected. */
  readonly unlock?: Unlock
}

/**
 * Put a backup in place.
 *
 * Contract: a refusal changes nothing. What was there is moved aside, never overwritten, and a kill in
 * between leaves a data home that refuses to start, not one that starts empty. Every session and
 * one-time code of the backup ends.
 * Refuses: what `openKeyHome` refuses, data_home_unusable, data_home_locked, data_home_full, backup_unusable,
 * schema_newer, key_missing, ledger_broken, storage_full.
 */
export async function restoreStore(
  wanted: Homes,
  file: string,
  { now = Date.now, unlock = {} }: RestoreOptions = {},
): Promise<Result<Restored>> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  const lock = lockDataHome(homes.value.data)
  if (!lock.ok) return lock
  try {
    const keyHome = await openKeyHome(homes.value.keys, unlock)
    return keyHome.ok ? await restoreLocked({ data: homes.value.data, keys: keyHome.value }, file, now()) : keyHome
  } catch (error) {
    return refuseFault(error)
  } finally {
    lock.value.release()
  }
}

interface OpenHomes {
  readonly data: string
  readonly keys: KeyHome
}

async function restoreLocked(homes: OpenHomes, file: string, at: number): Promise<Result<Restored>> {
  const header = judgeHeader(file, file)
  if (!header.ok) return header
  const space = requireSpace(homes.data, 3 * header.value.bytes + startFloorBytes)
  if (!space.ok) return space
  const workshop = mkdtempSync(join(homes.data, 'restoring-'))
  try {
    const candidate = join(workshop, 'bridlewise.db')
    makePrivateFile(candidate)
    copyFileSync(file, candidate)
    // Once more on the copy: the file itself may change under our eyes.
    const copied = judgeHeader(candidate, file)
    const fit = copied.ok ? judgeContent(candidate, file) : copied
    const made = fit.ok ? await makeCurrent({ candidate, workshop, shown: file }, homes.keys, at) : fit
    if (!made.ok) return made
    return ok({ ...made.value, movedTo: putInPlace(homes.data, candidate, { at, head: made.value.witness }) })
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

interface Current extends Omit<Restored, 'movedTo'> {
  readonly witness: LedgerHead
}

/** Brings the copy to the current version, opens it with the keys that are here, and ends its sessions. */
async function makeCurrent(
  { candidate, workshop, shown }: { readonly candidate: string; readonly workshop: string; readonly shown: string },
  keyHome: KeyHome,
  at: number,
): Promise<Result<Current>> {
  const database = openDatabase(candidate)
  try {
    const migrated = await migrate(database, workshop)
    if (!migrated.ok) return migrated
    const found = keyHome.read()
    if (!found.ok) return found
    const needed = database.prepare<[], { id: string }>('SELECT id FROM keys WHERE retiredAt IS NULL ORDER BY createdAt').all()
    for (const { id } of needed) if (!found.value.has(id)) return refuse('key_missing', { keyId: id, path: keyHome.path })
    const newest = needed.at(-1)
    if (newest === undefined) return unusable(shown, 'it names no key')
    const seal = createSeal({ active: newest.id, keys: found.value })
    const { entries, head, broken } = await createVerifier({ database, seal })()
    if (broken !== null) return refuse('ledger_broken', broken)
    const revokedTokens = endAccess(database, at)
    const witness = database.prepare<[], LedgerHead>('SELECT seq, hash FROM beats ORDER BY seq DESC LIMIT 1').get()
    return ok({ entries, head, revokedTokens, witness: witness ?? { seq: 0, hash: '' } })
  } finally {
    database.close()
  }
}

/** What was let in at the time of the backup may have been shut out since. */
function endAccess(database: Database, at: number): number {
  return database.transaction(() => {
    database.exec('DELETE FROM sessions; DELETE FROM account_codes')
    return database.prepare<[number]>('UPDATE access_tokens SET revokedAt = ? WHERE revokedAt IS NULL').run(at)
  })
}

/** The witness goes before the database: a kill in between then looks like what it is, a database that is gone. */
function putInPlace(
  home: string,
  candidate: string,
  { at, head }: { readonly at: number; readonly head: LedgerHead },
): string | null {
  const path = join(home, 'bridlewise.db')
  const present = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file))
  const witness = join(home, witnessName)
  const aside = join(home, `replaced-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`)
  if (present.length > 0) {
    mkdirSync(aside, { mode: 0o700 })
    if (existsSync(witness)) copyFileSync(witness, join(aside, witnessName))
  }
  writeWitness(home, { ...head, open: false })
  for (const file of present) renameSync(file, join(aside, basename(file)))
  renameSync(candidate, path)
  syncPath(home)
  return present.length > 0 ? aside : null
}
