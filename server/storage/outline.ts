/** What a database may tell a stranger: its shape in numbers. Beside it the names that must not stand in anything told. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { measureDatabase, readBesideBytes } from './integrity.ts'
import { readApplied, readJournal } from './migrate.ts'
import type { Reader } from './reader.ts'

export interface Outline {
  readonly bytes: number
  /** The newest migration that it has seen; null when this version does not know it. */
  readonly schema: string | null
  /** With their indexes. Null when there is too much of it to be counted while a server works. */
  readonly tables: readonly TableFigures[] | null
  /** Of the newest rows of security events. */
  readonly events: readonly { readonly kind: string; readonly rows: number; readonly last: number }[]
  readonly names: StoredNames
}

export interface TableFigures {
  readonly name: string
  readonly rows: number
  readonly bytes: number
}

/** Names that people gave. They lie in the open in the database, and are nobody else's business. */
export interface StoredNames {
  readonly users: readonly string[]
  readonly projects: readonly { readonly name: string; readonly path: string }[]
  readonly providers: readonly string[]
}

const newestEvents = 1_000

/**
 * Take the outline of the database in a data home, in a thread of its own.
 *
 * Contract: changes nothing, needs no key, and holds up nobody, whether a server runs or not. A database
 * that cannot be read has none; what is wrong with it is for an inspection to say.
 */
export async function outlineStore(home: string): Promise<Outline | 'absent' | 'unreadable'> {
  const path = join(home, 'bridlewise.db')
  if (measureDatabase(path) === 0) return 'absent'
  const worker = new Worker(new URL('./outline-worker.ts', import.meta.url), { workerData: path, env: {}, execArgv: [] })
  const [outline] = (await once(worker, 'message')) as [Outline | 'unreadable']
  return outline
}

/** The same, here and now. */
export function readOutline(reader: Pick<Reader, 'prepare'>, path: string): Outline {
  const bytes = measureDatabase(path)
  const applied = readApplied(reader)
  return {
    bytes,
    schema: readJournal().find(({ when }) => when === applied)?.tag ?? null,
    tables: bytes > readBesideBytes ? null : countTables(reader),
    events: countEvents(reader),
    names: {
      users: reader.prepare<[], { name: string }>('SELECT username AS name FROM users').all().map(nameOf),
      projects: reader.prepare<[], { name: string; path: string }>('SELECT name, path FROM projects').all(),
      providers: reader.prepare<[], { name: string }>('SELECT name FROM providers').all().map(nameOf),
    },
  }
}

/** An older database has no such table yet. */
function countEvents(reader: Pick<Reader, 'prepare'>): Outline['events'] {
  if (!listTables(reader).includes('security_events')) return []
  return reader
    .prepare<[number], Outline['events'][number]>(
      `SELECT kind, count(*) AS rows, max(minute) AS last
       FROM (SELECT kind, minute FROM security_events ORDER BY number DESC LIMIT ?) GROUP BY kind ORDER BY kind`,
    )
    .all(newestEvents)
}

function countTables(reader: Pick<Reader, 'prepare'>): TableFigures[] {
  const sizes = new Map(
    reader
      .prepare<[], { name: string; bytes: number }>(
        `SELECT s.tbl_name AS name, sum(d.bytes) AS bytes
         FROM (SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name) AS d JOIN sqlite_schema AS s ON s.name = d.name
         GROUP BY s.tbl_name`,
      )
      .all()
      .map(({ name, bytes }) => [name, bytes]),
  )
  return listTables(reader)
    .filter((name) => !name.startsWith('sqlite_'))
    .map((name) => {
      const counted = reader.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM "${name.replaceAll('"', '""')}"`).get()
      return { name, rows: counted?.rows ?? 0, bytes: sizes.get(name) ?? 0 }
    })
}

function listTables(reader: Pick<Reader, 'prepare'>): readonly string[] {
  return reader
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(nameOf)
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}
