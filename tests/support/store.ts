/** A real store in homes of its own, for tests that need rows. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IdNoun, makeId } from '@bridlewise/shared/wire'
import { type Database, openDatabase } from '../../server/storage/database.ts'
import { type Homes, type Owner, openStore, type Store } from '../../server/storage/index.ts'

export interface TempStore extends AsyncDisposable {
  readonly homes: Homes
  store: Store
  /** Close and open again, as a restart does. */
  reopen(): Promise<Store>
  /** Read behind the store's back, through a connection of its own with the product's settings. */
  rows<Row>(sql: string, ...params: unknown[]): Row[]
  /** Change behind the store's back, without its foreign keys; answers with the number of rows changed. */
  change(sql: string, ...params: unknown[]): number
}

export async function openTempStore(now?: () => number): Promise<TempStore> {
  const base = mkdtempSync(join(tmpdir(), 'bridlewise-store-'))
  const homes = { data: join(base, 'data'), keys: join(base, 'keys') }
  const temp: TempStore = {
    homes,
    store: await mustOpen(homes, now),
    async reopen() {
      temp.store.close()
      temp.store = await mustOpen(homes, now)
      return temp.store
    },
    rows: <Row>(sql: string, ...params: unknown[]) =>
      beside(homes, (database) => database.prepare<unknown[], Row>(sql).all(...params)),
    change: (sql, ...params) =>
      beside(homes, (database) => {
        database.exec('PRAGMA foreign_keys = OFF')
        return database.prepare(sql).run(...params)
      }),
    async [Symbol.asyncDispose]() {
      temp.store.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
  return temp
}

export function newId(noun: IdNoun): string {
  return makeId(noun, Date.now(), randomBytes(16))
}

/** Put a user straight into the table; the store itself only ever makes the first. */
export function addUser(temp: TempStore, username: string): Owner {
  const id = newId('user')
  const insert = 'INSERT INTO users (id, username, nameKey, role, password, createdAt) VALUES (?, ?, ?, ?, ?, ?)'
  temp.change(insert, id, username, username, 'member', 'none', 1)
  return { userId: id }
}

/** A chat with one queued run, and the scope that its beats and frames are written under. */
export function addRun(store: Store, owner: Owner) {
  const chatId = newId('chat')
  const runId = newId('run')
  store.chats.create(owner, { id: chatId, title: 'a chat', projectId: null, createdAt: 1 })
  const model = { providerId: newId('provider'), modelId: 'm', label: 'a model' }
  const rest = { projectId: null, mode: 'act', fixture: false, idempotencyKey: null, createdAt: 1 } as const
  store.runs.create(owner, { id: runId, chatId, model, ...rest })
  return { userId: owner.userId, chatId, runId }
}

async function mustOpen(homes: Homes, now?: () => number): Promise<Store> {
  const opened = await openStore(homes, now)
  if (!opened.ok) throw new Error(opened.refusal.message)
  return opened.value
}

function beside<T>(homes: Homes, work: (database: Database) => T): T {
  const database = openDatabase(join(homes.data, 'bridlewise.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}
