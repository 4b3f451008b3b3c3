import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { StorageFault } from './fault.ts'

let home: string
let database: Database
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bridlewise-database-'))
  database = openDatabase(join(home, 'test.db'))
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
})
afterEach(() => {
  database.close()
  rmSync(home, { recursive: true, force: true })
})

const pragma = (name: string) => Object.values(database.prepare<[], Record<string, unknown>>(`PRAGMA ${name}`).get() ?? {})[0]
const numbers = () =>
  database
    .prepare<[], { n: number }>('SELECT n FROM t ORDER BY n')
    .all()
    .map((row) => row.n)
const insert = (n: number) => database.prepare<[number]>('INSERT INTO t (n) VALUES (?)').run(n)

describe('the database', () => {
  it.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['trusted_schema', 0],
    ['secure_delete', 1],
    ['busy_timeout', 5000],
  ])('is opened with %s at %s', (name, value) => {
    expect(pragma(name)).toBe(value)
  })

  it('brings a SQLite without the race of the write-ahead log that 3.51.3 ended', () => {
    const version = database.prepare<[], { v: string }>('SELECT sqlite_version() AS v').get()?.v ?? ''
    expect(version.localeCompare('3.51.3', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
  })

  it('commits what was queued in one tick together, and resolves each with its own value', async () => {
    const undone: string[] = []
    database.onRollback(() => undone.push('rollback'))
    expect(await Promise.all([1, 2, 3].map((n) => database.enqueue(() => insert(n) * n)))).toEqual([1, 2, 3])
    expect(undone).toEqual([])
  })

  it('keeps the others when one of a batch breaks', async () => {
    const settled = await Promise.allSettled([1, 1, 2].map((n) => database.enqueue(() => insert(n))))
    expect(settled.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(numbers()).toEqual([1, 2])
  })

  it('commits what was queued before a transaction before it', async () => {
    const order: string[] = []
    const queued = database.enqueue(() => order.push('queued'))
    database.transaction(() => order.push('transaction'))
    await queued
    expect(order).toEqual(['queued', 'transaction'])
  })

  it('undoes a transaction that throws, and of a nested one only its own part', () => {
    database.transaction(() => {
      insert(1)
      expect(() =>
        database.transaction(() => {
          insert(2)
          throw new Error('no')
        }),
      ).toThrow('no')
      insert(3)
    })
    expect(numbers()).toEqual([1, 3])
  })

  it('names a full disk, keeps what was there, and goes on when there is room', async () => {
    insert(1)
    const pages = Number(pragma('page_count'))
    database.exec(`PRAGMA max_page_count = ${pages}`)
    const write = () => database.prepare<[string]>('INSERT INTO t (text) VALUES (?)').run('x'.repeat(100_000))
    for (const attempt of [async () => write(), () => database.enqueue(write), async () => database.transaction(write)]) {
      const error = await attempt().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(StorageFault)
      expect((error as StorageFault).refusal.code).toBe('storage_full')
    }
    expect(numbers()).toEqual([1])
    database.exec('PRAGMA max_page_count = 100000')
    expect(write()).toBe(1)
  })

  it('commits what is queued when it is closed', async () => {
    const queued = database.enqueue(() => insert(7))
    database.close()
    await queued
    database = openDatabase(join(home, 'test.db'))
    expect(numbers()).toEqual([7])
  })
})

describe('a hostile schema', () => {
  it('cannot be written, loads nothing, and runs no function with effects', () => {
    const path = join(home, 'hostile.db')
    const planted = new Sqlite(path)
    planted.unsafeMode(true)
    planted.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT load_extension('x') FROM t")
    planted.exec("CREATE VIEW harmless AS SELECT upper('x') AS x FROM t")
    planted.close()
    const database = openDatabase(path)
    expect(() => database.prepare('SELECT * FROM v').all()).toThrow(/unsafe use|no such function|not authorized/)
    expect(() => database.prepare("SELECT load_extension('x')").all()).toThrow(/no such function|not authorized/)
    database.exec('PRAGMA writable_schema = ON')
    expect(() => database.exec("UPDATE sqlite_schema SET sql = 'x'")).toThrow(/may not be modified/)
    expect(database.prepare('SELECT x FROM harmless').all()).toEqual([{ x: 'X' }])
    database.close()
  })
})
