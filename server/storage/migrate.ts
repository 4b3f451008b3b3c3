/**
 * Bring the schema up to date.
 *
 * The migrations are drizzle-kit's and so is the table that counts them; they are applied here
 * because loading drizzle's own driver takes longer than starting the whole server.
 */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Database } from './database.ts'
import { makePrivateFile } from './homes.ts'
import { measureDatabase } from './integrity.ts'
import { makeSelfContained } from './reader.ts'
import { requireSpace, startFloorBytes } from './space.ts'

export interface Migration {
  readonly tag: string
  /** When it was generated; what drizzle orders and counts by. */
  readonly when: number
}

/**
 * Apply what is pending, in one transaction, after a backup of a database that has something in it.
 *
 * Refuses: schema_newer and data_home_full, with nothing changed.
 */
export async function migrate(database: Database, home: string): Promise<Result<'current'>> {
  const migrations = readJournal()
  const applied = readApplied(database)
  const last = migrations.at(-1)?.when ?? 0
  if (applied > last) return refuse('schema_newer', {})
  const pending = migrations.filter((migration) => migration.when > applied)
  if (pending.length === 0) return ok('current')
  if (applied > 0) {
    const space = requireSpace(home, 2 * measureDatabase(join(home, 'bridlewise.db')) + startFloorBytes)
    if (!space.ok) return space
    await keepCopy(database, { home, before: pending[0]?.tag ?? '' })
  }
  apply(database, pending)
  return ok('current')
}

const folder = join(import.meta.dirname, 'migrations')

/** Oldest first. */
export function readJournal(): readonly Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as { entries: Migration[] }
  return journal.entries
}

/** The newest migration that the database has seen, or 0. */
export function readApplied(database: Pick<Database, 'prepare'>): number {
  const known = database
    .prepare<[], { n: number }>("SELECT count(*) AS n FROM sqlite_schema WHERE name = '__drizzle_migrations'")
    .get()
  if (known?.n !== 1) return 0
  return database.prepare<[], { at: number | null }>('SELECT max(created_at) AS at FROM __drizzle_migrations').get()?.at ?? 0
}

async function keepCopy(database: Database, copy: { readonly home: string; readonly before: string }): Promise<void> {
  const directory = join(copy.home, 'backups')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, `before-${copy.before}.db`)
  makePrivateFile(path)
  await database.backup(path)
  makeSelfContained(path)
}

/** Contract: all of them or, also after a kill at any statement, none. */
export function apply(database: Database, pending: readonly Migration[]): void {
  // A rebuilt table would otherwise take its children with it; what holds afterwards is checked.
  database.exec('PRAGMA foreign_keys = OFF')
  database.transaction(() => {
    database.exec(
      'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
    )
    const count = database.prepare<[string, number]>('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
    for (const migration of pending) {
      const text = readFileSync(join(folder, `${migration.tag}.sql`), 'utf8')
      for (const statement of text.split('--> statement-breakpoint')) database.exec(statement)
      count.run(hash('sha256', text), migration.when)
    }
    const broken = database.prepare<[], { table: string }>('PRAGMA foreign_key_check').get()
    if (broken !== undefined) throw new Error(`a migration left ${broken.table} pointing at nothing`)
  })
  database.exec('PRAGMA foreign_keys = ON')
}
