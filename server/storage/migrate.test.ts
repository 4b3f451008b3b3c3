import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { openTempStore } from '../../tests/support/store.ts'
import { openDatabase } from './database.ts'
import { openStore } from './open.ts'
import * as accountTables from './schema/accounts.ts'
import * as ledgerTables from './schema/ledger.ts'
import * as runTables from './schema/runs.ts'
import * as workTables from './schema/work.ts'

const tables: SQLiteTable[] = [accountTables, ledgerTables, runTables, workTables].flatMap((file) => Object.values(file))

describe('migrations', () => {
  it('make exactly the columns that the schema declares', async () => {
    await using temp = await openTempStore()
    for (const table of tables) {
      const { name, columns } = getTableConfig(table)
      const made = temp.rows<{ name: string }>(`SELECT name FROM pragma_table_info('${name}')`)
      expect(made.map((column) => column.name).sort()).toEqual(columns.map((column) => column.name).sort())
    }
  })

  it('are applied once: a second start changes nothing and keeps no copy', async () => {
    await using temp = await openTempStore()
    const count = () => temp.rows('SELECT * FROM __drizzle_migrations')
    const before = count()
    await temp.reopen()
    expect(count()).toEqual(before)
    expect(existsSync(join(temp.homes.data, 'backups'))).toBe(false)
  })

  it('keep a private copy of a database that has something in it, and bring it up to date', async () => {
    await using temp = await openTempStore()
    const shape = () => temp.rows('SELECT type, name FROM sqlite_schema ORDER BY type, name')
    const [current, migrations] = [shape(), temp.rows<{ created_at: number }>('SELECT * FROM __drizzle_migrations ORDER BY 3')]
    temp.store.close()
    for (const end of ['', '-wal', '-shm']) rmSync(join(temp.homes.data, `bridlewise.db${end}`), { force: true })
    makeFirstDatabase(temp.homes.data, migrations[0]?.created_at ?? 0)
    await temp.reopen()
    expect(shape()).toEqual(current)
    const backups = join(temp.homes.data, 'backups')
    const [copy = ''] = readdirSync(backups)
    expect(copy).toBe('before-0001_append-only.db')
    expect(statSync(join(backups, copy)).mode & 0o777).toBe(0o600)
  })

  it('refuse a database of a newer version and leave it as it is', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    temp.change("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)")
    const tried = await openStore(temp.homes)
    expect(tried.ok ? 'opened' : tried.refusal.code).toBe('schema_newer')
    temp.change('DELETE FROM __drizzle_migrations WHERE created_at = 99999999999999')
    await temp.reopen()
  })
})

/** A database as the first version left it. */
function makeFirstDatabase(home: string, at: number): void {
  const database = openDatabase(join(home, 'bridlewise.db'))
  database.exec(readFileSync(join(import.meta.dirname, 'migrations/0000_first.sql'), 'utf8'))
  database.exec('CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)')
  database.prepare<[number]>("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('first', ?)").run(at)
  database.close()
}
