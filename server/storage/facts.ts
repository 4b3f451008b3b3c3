/** What holds in the open store, asked of the store itself: for the posture, which must not repeat intentions. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreContext } from './context.ts'
import { StorageFault } from './fault.ts'
import { type FileSystem, findFileSystem } from './file-system.ts'
import type { Integrity } from './integrity.ts'
import { type ListedKey, listKeys } from './key-list.ts'
import { measureSpace } from './space.ts'

export interface StoreFacts {
  readonly sqlite: string
  /** As SQLite answers: `wal`. */
  readonly journalMode: string
  /** As SQLite answers: 2 is FULL, and every commit is on the disk when it returns. */
  readonly synchronous: number
  /** Whether a value that was sealed now was refused once one bit of it was changed. */
  readonly refusesTampered: boolean
  /** Keys that sealed values may name, the one that seals last. */
  readonly keys: readonly Pick<ListedKey, 'id' | 'seals'>[]
  /** What reading the database found: at the start for a small one, beside the server for a larger one. */
  readonly integrity: Integrity
  /** Bytes; null where the file system does not say. */
  readonly freeBytes: number | null
  readonly fileSystem: FileSystem
  /** Bytes of the database's log. */
  readonly logBytes: number
}

export function readFacts(
  { database, seal }: StoreContext,
  { home, integrity }: { readonly home: string; readonly integrity: Integrity },
): StoreFacts {
  const ask = (sql: string) => Object.values(database.prepare<[], Record<string, unknown>>(sql).get() ?? {})[0]
  return {
    sqlite: String(ask('SELECT sqlite_version()')),
    journalMode: String(ask('PRAGMA journal_mode')),
    synchronous: Number(ask('PRAGMA synchronous')),
    refusesTampered: refusesTampered(seal),
    keys: listKeys(database).filter(({ retiredAt }) => retiredAt === null),
    integrity,
    freeBytes: measureSpace(home),
    fileSystem: findFileSystem(home),
    logBytes: measureLog(home),
  }
}

/** Bytes of the log of the database in that home; 0 when there is none. */
export function measureLog(home: string): number {
  return statSync(join(home, 'bridlewise.db-wal'), { throwIfNoEntry: false })?.size ?? 0
}

function refusesTampered(seal: StoreContext['seal']): boolean {
  const cell = { table: 'posture', column: 'trial', row: '', parent: '', owner: '' }
  const sealed = seal.seal(cell, 'trial')
  if (seal.open(cell, sealed) !== 'trial') return false
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  try {
    seal.open(cell, sealed)
    return false
  } catch (error) {
    if (error instanceof StorageFault) return true
    throw error
  }
}
