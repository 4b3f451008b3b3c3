import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BeatDraft } from '@bridlewise/shared/wire'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { backUpStore } from './backup.ts'
import { openStore } from './open.ts'
import { restoreStore } from './restore.ts'

const beat: BeatDraft = {
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title: 'x', text: 'y', evidence: [] },
}

/** A store with three beats, and a backup of it; whoever comes next writes a fourth. */
async function openBackedUp() {
  const temp = await openTempStore()
  const owner = addUser(temp, 'ann')
  const scope = addRun(temp.store, owner)
  for (let n = 0; n < 3; n += 1) await temp.store.ledger.append(scope, beat)
  const file = join(temp.homes.data, '..', 'kept.db')
  const backup = await backUpStore(temp.homes, file)
  if (!backup.ok) throw new Error(backup.refusal.message)
  return Object.assign(temp, { scope, file, backup: backup.value })
}

const answer = (result: Awaited<ReturnType<typeof restoreStore>> | Awaited<ReturnType<typeof backUpStore>>) =>
  result.ok ? 'done' : result.refusal.code

/** Every file of the data home with its content, the lock aside. */
function photograph(temp: TempStore): ReadonlyMap<string, string> {
  const files = readdirSync(temp.homes.data, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('lock.'))
  return new Map(
    files
      .filter((name) => statSync(join(temp.homes.data, name)).isFile())
      .map((name) => [name, readFileSync(join(temp.homes.data, name), 'base64')]),
  )
}

describe('a backup', () => {
  it('is made beside a running server: private, whole, in one file, and without a key in it', async () => {
    await using temp = await openBackedUp()
    expect(temp.backup).toMatchObject({ beside: true, head: temp.store.ledger.head() })
    expect(statSync(temp.file).mode & 0o777).toBe(0o600)
    const bytes = readFileSync(temp.file)
    expect(bytes.length).toBe(temp.backup.bytes)
    expect([bytes[18], bytes[19]]).toEqual([1, 1])
    for (const name of readdirSync(temp.homes.keys)) {
      const key = readFileSync(join(temp.homes.keys, name))
      expect([bytes.includes(key), bytes.includes(key.toString('hex')), bytes.includes(key.toString('base64'))]).toEqual([
        false,
        false,
        false,
      ])
    }
    expect(readdirSync(join(temp.homes.data, '..')).sort()).toEqual(['data', 'kept.db', 'keys'])
  })

  it('is made without a server too, and changes nothing in the data home', async () => {
    await using temp = await openBackedUp()
    temp.store.close()
    const before = readFileSync(join(temp.homes.data, 'bridlewise.db'))
    const made = await backUpStore(temp.homes, join(temp.homes.data, '..', 'second.db'))
    expect(made).toMatchObject({ ok: true, value: { beside: false } })
    expect(readFileSync(join(temp.homes.data, 'bridlewise.db')).equals(before)).toBe(true)
    await temp.reopen()
  })

  it('takes the place of nothing, and needs a directory', async () => {
    await using temp = await openBackedUp()
    const before = readFileSync(temp.file)
    expect(answer(await backUpStore(temp.homes, temp.file))).toBe('backup_target_unusable')
    expect(readFileSync(temp.file).equals(before)).toBe(true)
    expect(answer(await backUpStore(temp.homes, join(temp.homes.data, 'nowhere', 'b.db')))).toBe('backup_target_unusable')
    expect(answer(await backUpStore({ ...temp.homes, data: join(temp.homes.data, 'nothing') }, `${temp.file}2`))).toBe(
      'data_home_unusable',
    )
  })
})

describe('a restore', () => {
  it('brings back what the backup holds, and keeps what was there aside', async () => {
    await using temp = await openBackedUp()
    await temp.store.ledger.append(temp.scope, beat)
    temp.store.close()
    const restored = await restoreStore(temp.homes, temp.file)
    if (!restored.ok) throw new Error(restored.refusal.message)
    expect(restored.value).toMatchObject({ entries: 3, head: temp.backup.head?.hash })
    const store = await temp.reopen()
    expect(await store.ledger.verify()).toMatchObject({ valid: true, entries: 3 })
    expect(store.ledger.list(temp.scope, { limit: 9 }).items).toHaveLength(3)

    const aside = { data: restored.value.movedTo ?? '', keys: temp.homes.keys }
    const old = await openStore(aside)
    if (!old.ok) throw new Error(old.refusal.message)
    expect(old.value.ledger.head().seq).toBe(4)
    old.value.close()
  })

  it('ends the sessions and revokes the access tokens of the backup', async () => {
    await using temp = await openTempStore()
    const { userId } = addUser(temp, 'ann')
    temp.change(
      'INSERT INTO sessions (id, userId, cookieHash, tokenHash, createdAt, expiresAt) VALUES (?,?,?,?,1,9e15)',
      's',
      userId,
      Buffer.of(1),
      Buffer.of(2),
    )
    temp.change(
      'INSERT INTO access_tokens (id, userId, name, hash, createdAt) VALUES (?,?,?,?,1)',
      't',
      userId,
      'script',
      Buffer.of(3),
    )
    const file = join(temp.homes.data, '..', 'kept.db')
    expect(answer(await backUpStore(temp.homes, file))).toBe('done')
    temp.store.close()
    expect(await restoreStore(temp.homes, file, { now: () => 7 })).toMatchObject({ ok: true, value: { revokedTokens: 1 } })
    expect(temp.rows('SELECT id FROM sessions')).toEqual([])
    expect(temp.rows('SELECT revokedAt FROM access_tokens')).toEqual([{ revokedAt: 7 }])
    await temp.reopen()
  })

  it('works in an empty data home, for a machine that was lost', async () => {
    await using temp = await openBackedUp()
    const fresh = { data: join(temp.homes.data, '..', 'fresh'), keys: temp.homes.keys }
    expect(await restoreStore(fresh, temp.file)).toMatchObject({ ok: true, value: { movedTo: null, entries: 3 } })
    const opened = await openStore(fresh)
    expect(opened.ok && opened.value.ledger.head().seq).toBe(3)
    if (opened.ok) opened.value.close()
  })

  it('waits for a server that runs', async () => {
    await using temp = await openBackedUp()
    expect(answer(await restoreStore(temp.homes, temp.file))).toBe('data_home_locked')
  })

  it('needs the key that the backup was sealed with', async () => {
    await using temp = await openBackedUp()
    temp.store.close()
    const before = photograph(temp)
    const [key = ''] = readdirSync(temp.homes.keys)
    renameSync(join(temp.homes.keys, key), join(temp.homes.data, '..', key))
    expect(answer(await restoreStore(temp.homes, temp.file))).toBe('key_missing')
    expect(photograph(temp)).toEqual(before)
    renameSync(join(temp.homes.data, '..', key), join(temp.homes.keys, key))
    expect(answer(await restoreStore(temp.homes, temp.file))).toBe('done')
    await temp.reopen()
  })

  const sql = (text: string) => (file: string) => {
    const database = new Sqlite(file)
    database.unsafeMode(true)
    database.exec(text)
    database.close()
  }
  const replaceBy = (text: string) => (file: string) => {
    rmSync(file)
    sql(text)(file)
  }
  const edit = (change: (bytes: Buffer) => Buffer) => (file: string) => writeFileSync(file, change(readFileSync(file)))

  it.each<[string, string, (file: string) => void]>([
    ['a file that is not there', 'backup_unusable', (file) => rmSync(file)],
    [
      'a directory',
      'backup_unusable',
      (file) => {
        rmSync(file)
        mkdirSync(file)
      },
    ],
    ['an empty file', 'backup_unusable', edit(() => Buffer.alloc(0))],
    ['a text', 'backup_unusable', edit(() => Buffer.from('not a database'.repeat(1000)))],
    ['a file cut at a page', 'backup_unusable', edit((bytes) => bytes.subarray(0, 4096 * 5))],
    ['a file with a tail', 'backup_unusable', edit((bytes) => Buffer.concat([bytes, Buffer.alloc(4096)]))],
    [
      'a page size that there is not',
      'backup_unusable',
      edit((bytes) => Buffer.concat([bytes.subarray(0, 16), Buffer.of(3, 1), bytes.subarray(18)])),
    ],
    ['overwritten pages', 'backup_unusable', edit((bytes) => Buffer.from(bytes).fill(0xa5, 4096 * 3, 4096 * 9))],
    ['another database', 'backup_unusable', replaceBy('CREATE TABLE t (n)')],
    ['a bare copy of a database in use', 'backup_unusable', sql('PRAGMA journal_mode = WAL')],
    [
      'a trigger that is not ours',
      'backup_unusable',
      sql("CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET role = 'admin'; END"),
    ],
    ['a view that is not ours', 'backup_unusable', sql('CREATE VIEW v AS SELECT load_extension(1)')],
    ['a virtual table', 'backup_unusable', sql('CREATE VIRTUAL TABLE v USING fts5(x)')],
    ['statistics that could mislead', 'backup_unusable', sql('ANALYZE')],
    ['an index over an expression', 'backup_unusable', sql('CREATE INDEX i ON users (lower(username))')],
    ['a trigger of ours less', 'backup_unusable', sql('DROP TRIGGER beats_never_go')],
    [
      'a table whose text was changed',
      'backup_unusable',
      sql(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', 'NOT  NULL') WHERE name = 'users'",
      ),
    ],
    [
      'a version that was never released',
      'backup_unusable',
      sql(
        'UPDATE __drizzle_migrations SET created_at = created_at + 1 WHERE created_at < (SELECT max(created_at) FROM __drizzle_migrations); DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
      ),
    ],
    [
      'a newer version',
      'schema_newer',
      sql("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)"),
    ],
    [
      'a row that points at nothing',
      'backup_unusable',
      sql(
        "PRAGMA foreign_keys = OFF; INSERT INTO sessions (id, userId, cookieHash, tokenHash, createdAt, expiresAt) VALUES ('s', 'nobody', x'01', x'02', 1, 1)",
      ),
    ],
    ['no key in its list', 'backup_unusable', sql('PRAGMA foreign_keys = OFF; DELETE FROM keys')],
    [
      'a beat that was changed',
      'ledger_broken',
      sql(
        'DROP TRIGGER beats_never_change; UPDATE beats SET at = at + 1 WHERE seq = 2; ' +
          "CREATE TRIGGER beats_never_change BEFORE UPDATE ON beats\nBEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
      ),
    ],
  ])('refuses %s (%s), and changes nothing', async (_what, code, spoil) => {
    await using temp = await openBackedUp()
    temp.store.close()
    const before = photograph(temp)
    const spoilt = `${temp.file}-spoilt`
    copyFileSync(temp.file, spoilt)
    spoil(spoilt)
    expect(answer(await restoreStore(temp.homes, spoilt))).toBe(code)
    expect(photograph(temp)).toEqual(before)
    expect(answer(await restoreStore(temp.homes, temp.file))).toBe('done')
    expect(existsSync(join(temp.homes.data, 'witness.json'))).toBe(true)
    await temp.reopen()
  })
})
