/** Change of keys: a new one seals, every value moves to it, and the old one goes once nothing names it. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Database } from './database.ts'
import { createErasure } from './erasure.ts'
import { refuseFault } from './fault.ts'
import type { Homes } from './homes.ts'
import type { KeyHome } from './key-access.ts'
import { addKey, listKeys } from './key-list.ts'
import type { KeyUse } from './key-use.ts'
import { openReader, sqliteCode } from './reader.ts'
import { isNamed, type ResealTally, reseal } from './reseal.ts'
import type { Seal } from './seal.ts'

export interface Rotation {
  /** Id of the key that seals now. */
  readonly active: string
  /** Values that moved in this call. */
  readonly resealed: number
  /** Values that do not open in their place; they keep the old key where it is. */
  readonly unopened: number
  readonly removed: readonly string[]
  readonly kept: readonly { readonly id: string; readonly because: string }[]
}

export interface RotationOptions {
  /** Rows in one commit. */
  readonly rowsAtOnce?: number
  /** Called after each commit. */
  readonly onProgress?: (tally: Readonly<ResealTally>) => void
}

export interface RotationGround {
  readonly database: Database
  readonly seal: Seal
  readonly use: KeyUse
  readonly homes: Homes
  readonly keyHome: KeyHome
  readonly now: () => number
}

/** Enough that the wait for the disk weighs little; a kill undoes at most these. */
const rowsAtOnce = 1000

/**
 * Make a new key and move everything to it, or finish what an earlier call began.
 *
 * Contract: at every moment, also after a kill, each value opens with a key that is listed and on the
 * disk. The chain of the ledger does not change: its digests are over what was sealed.
 * Refuses: key_home_unsafe, storage_full; what was done until then stays done.
 */
export async function rotateKeys(ground: RotationGround, options: RotationOptions = {}): Promise<Result<Rotation>> {
  try {
    return await rotate(ground, options)
  } catch (error) {
    return refuseFault(error)
  }
}

async function rotate(ground: RotationGround, options: RotationOptions): Promise<Result<Rotation>> {
  const { database, seal } = ground
  // What is left to erase has lost the row that binds it, and would keep the old key.
  for (const erasure = createErasure(ground); erasure.step(); ) await nextTurn()
  const active = begin(ground)
  if (!active.ok) return active
  const keyId = active.value
  let tally: Readonly<ResealTally> = { resealed: 0, unopened: 0 }
  for (tally of reseal({ database, seal, keyId, rowsAtOnce: options.rowsAtOnce ?? rowsAtOnce })) {
    options.onProgress?.(tally)
    await nextTurn()
  }
  return ok({ active: keyId, ...tally, ...retireOthers(ground, keyId) })
}

/** The newest key of an unfinished change, or a new one. */
function begin({ database, seal, use, keyHome, now }: RotationGround): Result<string> {
  const listed = listKeys(database).filter(({ retiredAt }) => retiredAt === null)
  const newest = listed.at(-1)
  if (newest !== undefined && listed.length > 1) return ok(newest.id)
  const made = addKey(database, keyHome, now())
  if (!made.ok) return made
  use.begin(made.value.id)
  seal.useKey(made.value.id, made.value.key)
  return ok(made.value.id)
}

function retireOthers({ database, homes, keyHome, now }: RotationGround, active: string): Pick<Rotation, 'removed' | 'kept'> {
  const retire = database.prepare<[number, string]>('UPDATE keys SET retiredAt = ? WHERE id = ? AND retiredAt IS NULL')
  const forget = database.prepare<[string]>('DELETE FROM keys WHERE id = ? AND retiredAt IS NOT NULL')
  const removed: string[] = []
  const kept: { id: string; because: string }[] = []
  for (const { id } of listKeys(database)) {
    if (id === active) continue
    // Retired first: a kill after the file is gone must not leave a list that asks for it.
    const named = database.transaction(() => {
      if (isNamed(database, id)) return true
      retire.run(now(), id)
      return false
    })
    const need = named ? 'a value still names it' : findBackup(homes.data, id)
    if (need !== null) {
      kept.push({ id, because: need })
      continue
    }
    keyHome.remove(id)
    forget.run(id)
    removed.push(id)
  }
  return { removed, kept }
}

/** Why a backup in the data home keeps the key: its own list names it, or cannot be read to say so. */
function findBackup(home: string, keyId: string): string | null {
  const directory = join(home, 'backups')
  for (const name of existsSync(directory) ? readdirSync(directory) : []) {
    if (!name.endsWith('.db')) continue
    const listed = readList(join(directory, name))
    if (listed === null) return `the backup ${name} cannot be read and may need it`
    if (listed.includes(keyId)) return `the backup ${name} needs it`
  }
  return null
}

function readList(path: string): readonly string[] | null {
  try {
    const backup = openReader(path)
    try {
      return backup
        .prepare<[], { id: string }>('SELECT id FROM keys')
        .all()
        .map(({ id }) => id)
    } finally {
      backup.close()
    }
  } catch (error) {
    if (sqliteCode(error) !== null) return null
    throw error
  }
}
