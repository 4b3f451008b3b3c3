import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { readAtStartBytes, watchIntegrity } from './integrity.ts'
import { openReader } from './reader.ts'
import { judgeSpace, measureSpace } from './space.ts'
import { requireSafeSqlite } from './sqlite-version.ts'
import { readWitness, settleWitness, witnessName } from './witness.ts'

const databaseOf = (temp: TempStore) => join(temp.homes.data, 'bridlewise.db')

describe('the free space', () => {
  it.each([
    [99, 'data_home_full'],
    [100, 'enough'],
    [null, 'enough'],
  ])('of %s bytes where 100 are needed: %s', (freeBytes, answer) => {
    const judged = judgeSpace({ path: '/data', freeBytes, neededBytes: 100 })
    expect(judged.ok ? judged.value : judged.refusal.code).toBe(answer)
    if (!judged.ok) expect(judged.refusal.details).toEqual({ path: '/data', freeBytes, neededBytes: 100 })
  })

  it('is asked of the file system', () => {
    expect(measureSpace('/')).toBeGreaterThan(0)
  })
})

describe('the SQLite', () => {
  it.each([
    ['3.44.5', 'sqlite_unsafe'],
    ['3.44.6', 'safe'],
    ['3.45.0', 'sqlite_unsafe'],
    ['3.50.6', 'sqlite_unsafe'],
    ['3.50.7', 'safe'],
    ['3.51.2', 'sqlite_unsafe'],
    ['3.51.3', 'safe'],
    ['3.54.1', 'safe'],
    ['4.0.0', 'safe'],
  ])('%s is %s', (version, answer) => {
    const judged = requireSafeSqlite(version)
    expect(judged.ok ? judged.value : judged.refusal.code).toBe(answer)
  })
})

describe('the witness', () => {
  it('says that the server runs, and after an orderly stop that it does not', async () => {
    await using temp = await openTempStore()
    expect(readWitness(temp.homes.data)).toMatchObject({ open: true, seq: 0 })
    expect(statSync(join(temp.homes.data, witnessName)).mode & 0o777).toBe(0o600)
    temp.store.close()
    expect(readWitness(temp.homes.data)).toMatchObject({ open: false, seq: 0 })
    await temp.reopen()
  })

  it('follows the ledger while the server runs', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const payload = { severity: 'info' as const, title: 'x', text: 'y', evidence: [] }
    await temp.store.ledger.append(scope, { kind: 'finding', source: 'server', payload })
    await vi.waitFor(() => expect(readWitness(temp.homes.data)).toEqual({ open: true, ...temp.store.ledger.head() }), 5000)
    expect(temp.store.ledger.head().seq).toBe(1)
  })

  it('is removed when it cannot be brought up to date, because a wrong one would stop a start', async () => {
    await using temp = await openTempStore()
    // A directory in the way of its draft: nothing can be written there.
    const draft = join(temp.homes.data, `${witnessName}.new`)
    mkdirSync(draft)
    settleWitness(temp.homes.data, { seq: 0, hash: 'h' })
    expect(readWitness(temp.homes.data)).toBeNull()
    rmdirSync(draft)
    settleWitness(temp.homes.data, { seq: 0, hash: 'h' })
    expect(readWitness(temp.homes.data)).toEqual({ open: false, seq: 0, hash: 'h' })
  })

  it('that says nothing readable counts as none', async () => {
    await using temp = await openTempStore()
    for (const text of ['', '{', '[]', '{"open":1,"seq":0,"hash":""}']) {
      writeFileSync(join(temp.homes.data, witnessName), text)
      expect(readWitness(temp.homes.data)).toBeNull()
    }
  })
})

describe('a database larger than is read at the start', () => {
  it('is read beside the server, and says so until it was', { timeout: 20_000 }, async () => {
    await using temp = await openTempStore()
    temp.store.close()
    growTo(databaseOf(temp), readAtStartBytes + 4096)
    const store = await temp.reopen()
    expect(store.facts().integrity).toMatchObject({ state: 'unchecked', reason: expect.stringContaining('background') })
    const watch = watchIntegrity(databaseOf(temp), 0)
    await vi.waitFor(() => expect(watch.current()).toEqual({ state: 'sound' }), 10_000)
    watch.stop()
  })

  it('names the damage that it found there', { timeout: 20_000 }, async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const path = databaseOf(temp)
    growTo(path, readAtStartBytes + 4096)
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4096 * 4, 4096 * 40)
    writeFileSync(path, bytes)
    const watch = watchIntegrity(path, 0)
    await vi.waitFor(() => expect(watch.current()).toMatchObject({ state: 'damaged' }), 10_000)
    watch.stop()
    rmSync(path)
    rmSync(join(temp.homes.data, witnessName))
    await temp.reopen()
  })
})

/** One more row of one table, large enough. */
function growTo(path: string, bytes: number): void {
  chmodSync(path, 0o600)
  const database = new Sqlite(path)
  database.exec(`CREATE TABLE ballast (content BLOB); INSERT INTO ballast VALUES (zeroblob(${bytes}))`)
  database.close()
}

describe('a database whose making was cut off', () => {
  it.each(['new', 'restored'])('is made again, or as it was: %s', async (which) => {
    await using temp = await openTempStore()
    const path = databaseOf(temp)
    if (which === 'restored') addUser(temp, 'ann')
    temp.store.close()
    if (which === 'new') rmSync(path)
    leaveHalfDone(path)
    expect(statSync(`${path}-journal`).size).toBeGreaterThan(0)
    expect(() => openReader(path).prepare('SELECT 1 FROM sqlite_schema').get()).toThrow(/readonly/)
    await temp.reopen()
    expect(temp.rows('SELECT username FROM users')).toEqual(which === 'new' ? [] : [{ username: 'ann' }])
    expect(temp.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(existsSync(`${path}-journal`)).toBe(false)
  })
})

/** As a kill leaves it: pages in the file that their transaction did not finish, and the journal that has them as they were. */
function leaveHalfDone(path: string): void {
  const half = `${path}.half`
  const raw = new Sqlite(path)
  raw.pragma('journal_mode = DELETE')
  raw.pragma('cache_size = 1')
  raw.exec('CREATE TABLE IF NOT EXISTS before (text)')
  raw.exec('BEGIN IMMEDIATE')
  const insert = raw.prepare('INSERT INTO before VALUES (?)')
  for (let row = 0; row < 200; row += 1) insert.run('x'.repeat(4000))
  for (const end of ['', '-journal']) copyFileSync(`${path}${end}`, `${half}${end}`)
  raw.exec('ROLLBACK')
  raw.close()
  for (const end of ['', '-journal']) renameSync(`${half}${end}`, `${path}${end}`)
}
