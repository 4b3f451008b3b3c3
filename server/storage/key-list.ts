/** The keys that this database needs, as it lists them itself; the newest one seals. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Database } from './database.ts'
import type { KeyHome } from './key-access.ts'
import { drawKey } from './key-home.ts'
import { openReader, type Reader } from './reader.ts'
import type { Keyring } from './seal.ts'
import { refuseUnreadable } from './start-checks.ts'

export interface ListedKey {
  readonly id: string
  readonly createdAt: number
  /** No fewer values than were sealed with it. */
  readonly seals: number
  /** Null while something may name it. */
  readonly retiredAt: number | null
}

/** Random nonces of 96 bits may be drawn so often for one key (NIST SP 800-38D, 8.3). */
export const sealBound = 2 ** 32

/** From here on a start makes a new key: a server that runs on for long has as much again. */
export const renewAtSeals = sealBound / 2

/**
 * The keys that the database names, or a first key for a database that has sealed nothing yet.
 *
 * Contract: a first key is only ever made for an empty list. A key that has sealed too often is
 * followed by a new one; what it sealed stays readable.
 * Refuses: key_home_unsafe, key_missing.
 */
export function fetchKeys(database: Database, home: KeyHome, at: number): Result<Keyring> {
  const found = home.read()
  if (!found.ok) return found
  const listed = listKeys(database).filter(({ retiredAt }) => retiredAt === null)
  for (const { id } of listed) if (!found.value.has(id)) return refuse('key_missing', { keyId: id, path: home.path })
  const newest = listed.at(-1)
  if (newest !== undefined && newest.seals < renewAtSeals) return ok({ active: newest.id, keys: found.value })
  const made = addKey(database, home, at)
  if (!made.ok) return made
  return ok({ active: made.value.id, keys: new Map([...found.value, [made.value.id, made.value.key]]) })
}

/** Oldest first. */
export function listKeys(database: Pick<Database, 'prepare'>): readonly ListedKey[] {
  return database.prepare<[], ListedKey>('SELECT * FROM keys ORDER BY createdAt').all()
}

/**
 * The keys without which the database of a data home does not open; none where there is no database yet.
 *
 * Contract: reads only; a server may run meanwhile.
 * Refuses: data_damaged, data_home_unusable.
 */
export function listNeeded(home: string): Result<readonly string[]> {
  const path = join(home, 'bridlewise.db')
  if (!existsSync(path) || statSync(path).size === 0) return ok([])
  try {
    const reader = openReader(path)
    try {
      // A file from before the first migration lists nothing, and one from before retirement has no such column.
      const listed = hasList(reader) ? listKeys(reader) : []
      return ok(listed.filter(({ retiredAt }) => (retiredAt ?? null) === null).map(({ id }) => id))
    } finally {
      reader.close()
    }
  } catch (error) {
    return refuseUnreadable(home, error)
  }
}

function hasList(reader: Reader): boolean {
  return reader.prepare<[], { n: number }>("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'keys'").get()?.n === 1
}

/**
 * Make the key that seals from now on.
 *
 * Contract: it is on the disk before the list names it, and is the newest whatever the clock says.
 * Refuses: key_home_unsafe.
 */
export function addKey(database: Database, home: KeyHome, at: number): Result<{ readonly id: string; readonly key: Buffer }> {
  const key = drawKey()
  const stored = home.add(key)
  if (!stored.ok) return stored
  const newest = listKeys(database).at(-1)?.createdAt ?? 0
  const insert = database.prepare<[string, number]>('INSERT INTO keys (id, createdAt) VALUES (?, ?)')
  insert.run(stored.value, Math.max(at, newest + 1))
  return ok({ id: stored.value, key })
}
