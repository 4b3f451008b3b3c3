import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { openTempStore } from '../../tests/support/store.ts'
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

  it('keep a private copy of a database that has something in it', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    // As if the last migration had come with this version.
    const triggers = temp.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    for (const { name } of triggers) temp.change(`DROP TRIGGER ${name}`)
    temp.change('DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)')
    await temp.reopen()
    expect(temp.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).toEqual(triggers)
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
