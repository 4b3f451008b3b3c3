/** A look at a data home from outside, with or without a server on it: for a person who wants to know what is wrong. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Refusal, type Result, refuse } from '@bridlewise/shared/refusals'
import { findDamage, nameDamage } from './damage.ts'
import type { Database } from './database.ts'
import type { Homes } from './homes.ts'
import { measureDatabase } from './integrity.ts'
import { openKeyHome, type Unlock } from './key-access.ts'
import { createVerifier, type Verification } from './ledger-verify.ts'
import { lockDataHome } from './lock.ts'
import { readApplied, readJournal } from './migrate.ts'
import { openReader, type Reader } from './reader.ts'
import { createSeal } from './seal.ts'
import { measureSpace } from './space.ts'
import { requireFiles, requireHead } from './witness.ts'

export interface Inspection {
  /** Whoever holds the lock, as in "process 12"; null when nobody does. */
  readonly holder: string | null
  readonly freeBytes: number | null
  /** Null where no server has run yet. */
  readonly database: DatabaseFindings | null
}

export interface DatabaseFindings {
  readonly bytes: number
  readonly sqlite: string
  readonly journalMode: string
  readonly schema: 'current' | 'older' | 'newer'
  /** What is wrong with its pages; null when every one was read and is sound. */
  readonly damage: string | null
  /** What is missing of what was recorded; null when nothing is. */
  readonly missing: Refusal | null
  /** How many keys it needs, all of them at hand; or which one is not, or what is unsafe about them. */
  readonly keys: Result<number>
  /** Null when the keys or the pages forbid it. */
  readonly ledger: Verification | null
}

/**
 * Contract: the data home exists. Nothing in it is changed; the time grows with the database, whose
 * every page and every ledger entry is read.
 */
export async function inspectStore(homes: Homes, unlock: Unlock = {}): Promise<Inspection> {
  const path = join(homes.data, 'bridlewise.db')
  const holder = findHolder(homes.data)
  // A running server answers for its files; its log may come and go.
  const files = holder === null ? requireFiles(homes.data, path) : ok('there' as const)
  const database =
    existsSync(path) || !files.ok ? await readFindings({ homes, path, unlock, missing: files.ok ? null : files.refusal }) : null
  return { holder, freeBytes: measureSpace(homes.data), database }
}

function findHolder(home: string): string | null {
  const lock = lockDataHome(home)
  if (!lock.ok) return String(lock.refusal.details?.['holder'])
  lock.value.release()
  return null
}

interface Look {
  readonly homes: Homes
  /** Of the database. */
  readonly path: string
  readonly unlock: Unlock
  readonly missing: Refusal | null
}

async function readFindings(look: Look): Promise<DatabaseFindings> {
  const { homes, path, missing } = look
  try {
    const reader = openReader(path)
    try {
      return await ask(reader, look)
    } finally {
      reader.close()
    }
  } catch (error) {
    const keys = refuse('data_home_unusable', { path: homes.data, problem: 'the list of its keys cannot be read' })
    const unknown = { sqlite: 'unknown', journalMode: 'unknown', schema: 'current', ledger: null } as const
    return { ...unknown, bytes: measureDatabase(path), damage: nameDamage(error), missing, keys }
  }
}

async function ask(reader: Reader, { homes, path, unlock, missing }: Look): Promise<DatabaseFindings> {
  const one = (sql: string) => String(Object.values(reader.prepare<[], Record<string, unknown>>(sql).get() ?? {})[0])
  const head = requireHead(homes.data, reader)
  const damage = findDamage(reader)
  const keys = await findKeys(reader, homes.keys, unlock)
  return {
    bytes: measureDatabase(path),
    sqlite: one('SELECT sqlite_version()'),
    journalMode: one('PRAGMA journal_mode'),
    schema: judgeVersion(reader),
    damage,
    missing: missing ?? (head.ok ? null : head.refusal),
    keys: keys.ok ? ok(keys.value.needed.length) : keys,
    ledger: keys.ok && damage === null ? await verify(reader, keys.value) : null,
  }
}

function judgeVersion(reader: Pick<Database, 'prepare'>): DatabaseFindings['schema'] {
  const applied = readApplied(reader)
  const newest = readJournal().at(-1)?.when ?? 0
  return applied > newest ? 'newer' : applied < newest ? 'older' : 'current'
}

interface FoundKeys {
  readonly needed: readonly string[]
  readonly keys: ReadonlyMap<string, Buffer>
}

async function findKeys(reader: Pick<Database, 'prepare'>, home: string, unlock: Unlock): Promise<Result<FoundKeys>> {
  if (!existsSync(home)) return refuse('key_home_unsafe', { path: home, problem: 'it does not exist', remedy: 'Put it back.' })
  const opened = await openKeyHome(home, unlock)
  const keys = opened.ok ? opened.value.read() : opened
  if (!keys.ok) return keys
  // An older database has no `retiredAt` yet.
  const listed = reader.prepare<[], { id: string; retiredAt?: number | null }>('SELECT * FROM keys ORDER BY createdAt').all()
  const needed = listed.filter(({ retiredAt }) => (retiredAt ?? null) === null).map(({ id }) => id)
  const absent = needed.find((id) => !keys.value.has(id))
  return absent === undefined ? ok({ needed, keys: keys.value }) : refuse('key_missing', { keyId: absent, path: home })
}

function verify(reader: Reader, { needed, keys }: FoundKeys): Promise<Verification> | null {
  const active = needed.at(-1)
  return active === undefined ? null : createVerifier({ database: reader, seal: createSeal({ active, keys }) })()
}
