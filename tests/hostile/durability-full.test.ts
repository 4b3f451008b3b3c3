/**
 * The disk is full while a server writes: chat, ledger, migration. Each no is typed, nothing that was
 * acknowledged is lost, and there is a way on once there is room.
 *
 * A limit on pages makes the writes of SQLite fail on every host; where a small file system can be
 * mounted in a namespace of its own, the same is done on a disk that really has no block left.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BeatDraft } from '@bridlewise/shared/wire'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../server/storage/database.ts'
import { createErasure } from '../../server/storage/erasure.ts'
import { openStore, StorageFault } from '../../server/storage/index.ts'
import { createLedger } from '../../server/storage/ledger.ts'
import { apply, migrate, readJournal } from '../../server/storage/migrate.ts'
import { createChats } from '../../server/storage/repositories/chats.ts'
import { createMessages } from '../../server/storage/repositories/messages.ts'
import { createSeal } from '../../server/storage/seal.ts'
import { addRun, addUser, newId, openTempStore } from '../support/store.ts'

const beat: BeatDraft = {
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title: 'x', text: 'y'.repeat(3000), evidence: [] },
}

/** Writes until it cannot; answers with how often it could and the code of the no. */
async function writeUntilFull(write: (n: number) => unknown): Promise<{ readonly done: number; readonly code: string }> {
  for (let n = 0; n < 5000; n += 1) {
    try {
      await write(n)
    } catch (error) {
      return { done: n, code: error instanceof StorageFault ? error.refusal.code : String(error) }
    }
  }
  return { done: 5000, code: 'never full' }
}

const one = (database: Database, sql: string) => Number(Object.values(database.prepare<[], object>(sql).get() ?? {})[0])

/** From here on the database may grow by that many pages. */
function leave(database: Database, pages: number): void {
  database.exec(`PRAGMA max_page_count = ${one(database, 'PRAGMA page_count') + pages}`)
}

describe('a database that may not grow', () => {
  it('says storage_full in chat and ledger, keeps what it had, and goes on when it may', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const scope = addRun(temp.store, owner)
    temp.store.close()
    const database = openDatabase(join(temp.homes.data, 'bridlewise.db'))
    const seal = createSeal({ active: '00'.repeat(8), keys: new Map([['00'.repeat(8), Buffer.alloc(32, 1)]]) })
    const context = { database, seal, bootId: 'b', now: () => 1 }
    const [ledger, chats, messages] = [
      createLedger(context),
      createChats(context, createErasure(context)),
      createMessages(context),
    ]

    leave(database, 20)
    const beats = await writeUntilFull(() => ledger.append(scope, beat))
    expect(beats).toMatchObject({ code: 'storage_full' })
    expect(beats.done).toBeGreaterThan(0)
    expect(one(database, 'SELECT count(*) FROM beats')).toBe(beats.done)
    expect(one(database, 'SELECT count(*) FROM beat_payloads')).toBe(beats.done)

    leave(database, 12)
    const talk = (n: number) =>
      database.transaction(() => {
        const chatId = newId('chat')
        chats.create(owner, { id: chatId, title: `chat ${n}`, projectId: null, createdAt: 1 })
        const text = 'z'.repeat(2000)
        messages.add(owner, { id: newId('message'), chatId, runId: scope.runId, role: 'user', text, createdAt: 1 })
      })
    const talks = await writeUntilFull(talk)
    expect(talks).toMatchObject({ code: 'storage_full' })
    expect(talks.done).toBeGreaterThan(0)
    // The one chat more is that of the run; none is there without its message.
    expect(one(database, 'SELECT count(*) FROM chats')).toBe(talks.done + 1)
    expect(one(database, 'SELECT count(*) FROM messages')).toBe(talks.done)

    leave(database, 10_000)
    talk(talks.done)
    expect((await ledger.append(scope, beat)).seq).toBe(beats.done + 1)
    database.close()
    expect(temp.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(temp.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: talks.done + 1 }])
    rmSync(join(temp.homes.data, 'witness.json'))
    await temp.reopen()
  })

  it('says storage_full to a migration, keeps the version that it had, and migrates later', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bridlewise-full-'))
    const database = openDatabase(join(home, 'bridlewise.db'))
    const [first, ...rest] = readJournal()
    if (first === undefined || rest.length === 0) throw new Error('there is nothing to migrate')
    apply(database, [first])
    database.exec("INSERT INTO keys (id, createdAt) VALUES ('kept', 1)")
    const schema = () => database.prepare<[], object>('SELECT * FROM sqlite_schema').all()
    const before = schema()
    leave(database, 0)
    await expect(migrate(database, home)).rejects.toMatchObject({ refusal: { code: 'storage_full' } })
    expect(schema()).toEqual(before)
    expect(readdirSync(join(home, 'backups'))).toHaveLength(1)
    leave(database, 10_000)
    expect(await migrate(database, home)).toMatchObject({ ok: true })
    expect(one(database, "SELECT count(*) FROM keys WHERE id = 'kept'")).toBe(1)
    database.close()
    rmSync(home, { recursive: true })
  })
})

describe('a migration that is killed', () => {
  it('leaves the version that there was, at whichever statement, and the next start finishes it', async () => {
    const base = mkdtempSync(join(tmpdir(), 'bridlewise-kill-'))
    const home = join(base, 'data')
    mkdirSync(home)
    const path = join(home, 'bridlewise.db')
    const database = openDatabase(path)
    const [first] = readJournal()
    apply(database, first === undefined ? [] : [first])
    database.exec("INSERT INTO acceptances VALUES (1, 'kept', 'ann', 1)")

    // What a kill leaves is what lies on the disk at that moment: the files are copied before each statement.
    const moments: string[] = []
    const watched: Database = {
      ...database,
      exec(sql) {
        const moment = join(base, `moment-${moments.length}`)
        cpSync(home, moment, { recursive: true })
        moments.push(moment)
        database.exec(sql)
      },
    }
    expect(await migrate(watched, home)).toMatchObject({ ok: true })
    database.close()
    expect(moments.length).toBeGreaterThan(10)

    const complete = schemaOf(path)
    for (const [n, data] of moments.entries()) {
      const opened = await openStore({ data, keys: join(base, `keys-${n}`) })
      if (!opened.ok) throw new Error(`moment ${n}: ${opened.refusal.message}`)
      expect(opened.value.acceptances.latest(), `moment ${n}`).toMatchObject({ policyDigest: 'kept' })
      opened.value.close()
      expect(schemaOf(join(data, 'bridlewise.db')), `moment ${n}`).toEqual(complete)
    }
    rmSync(base, { recursive: true })
  })
})

function schemaOf(path: string): unknown[] {
  const database = new Sqlite(path)
  try {
    return database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  } finally {
    database.close()
  }
}

/** Fills a small disk under a store, makes room, and reports; runs where that disk is mounted. */
const filler = `
  import { rmSync, statfsSync, writeFileSync } from 'node:fs'
  import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../server/storage/index.ts'))}
  const disk = process.argv[1]
  const homes = { data: disk + '/data', keys: process.argv[2] }
  const need = (result) => { if (!result.ok) throw new Error(result.refusal.code); return result.value }
  const scope = { userId: 'user_nobody', runId: null, chatId: null }
  const beat = { kind: 'finding', source: 'server', payload: { severity: 'info', title: 'x', text: 'y'.repeat(9000), evidence: [] } }
  let store = need(await openStore(homes))
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(disk + '/ballast', Buffer.alloc(bavail * bsize - 2 ** 20))
  let acknowledged = 0
  let code = 'never full'
  for (; acknowledged < 5000; acknowledged += 1) {
    try { await store.ledger.append(scope, beat) } catch (error) { code = error.refusal?.code ?? String(error); break }
  }
  const kept = (await store.ledger.verify()).entries
  store.close()
  const tight = await openStore(homes)
  if (tight.ok) tight.value.close()
  rmSync(disk + '/ballast')
  store = need(await openStore(homes))
  await store.ledger.append(scope, beat)
  const { valid, entries } = await store.ledger.verify()
  store.close()
  console.log(JSON.stringify({ acknowledged, code, kept, restart: tight.ok ? 'opened' : tight.refusal.code, valid, entries }))`

describe('a disk without a free block', () => {
  it('loses nothing that was acknowledged, refuses a start, and serves again once there is room', { timeout: 60_000 }, () => {
    const base = mkdtempSync(join(tmpdir(), 'bridlewise-tmpfs-'))
    const disk = join(base, 'disk')
    mkdirSync(disk)
    const inside = (command: string, ...words: string[]) => {
      const mount = `mount -t tmpfs -o size=48m none "$0" && exec ${command}`
      return spawnSync('unshare', ['-rm', 'sh', '-c', mount, disk, ...words], { encoding: 'utf8' })
    }
    const mounted = inside('true')
    if (mounted.status !== 0) {
      // The tests above did the same with a limit on pages; say why this one could not.
      console.info(`no small disk can be mounted here: ${mounted.error?.message ?? mounted.stderr.trim()}`)
      expect(mounted.error ?? mounted.stderr).toBeTruthy()
      return
    }
    const keys = join(base, 'keys')
    const run = inside('"$1" --input-type=module -e "$2" "$0" "$3"', process.execPath, filler, keys)
    expect(run.stderr).toBe('')
    const said = JSON.parse(run.stdout) as Record<string, unknown>
    expect(said).toMatchObject({ code: 'storage_full', restart: 'data_home_full', valid: true })
    expect(said['kept']).toBe(said['acknowledged'])
    expect(said['entries']).toBe(Number(said['acknowledged']) + 1)
    expect(said['acknowledged']).toBeGreaterThan(0)
    rmSync(base, { recursive: true })
  })
})
