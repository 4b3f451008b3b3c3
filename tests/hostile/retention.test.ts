/** Deleted and removed content: unreachable at once, gone from every file afterwards, whenever the server dies meanwhile. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { BeatPayload, Frame, Outcome } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSweeper } from '../../server/retention/index.ts'
import { backUpStore, type Store, vacuumStore } from '../../server/storage/index.ts'
import { eraseAndDie } from '../support/erasing-process.ts'
import { type Answer, call, enter, join, type Person } from '../support/people.ts'
import { need } from '../support/script-client.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../support/store.ts'

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const outcome: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: [], usage, ms: 1 }

/** An ended run with more frames, beats and results than one step erases. */
function addMuch(store: Store, owner: { readonly userId: string }) {
  const scope = addRun(store, owner)
  const finding: BeatPayload<'finding'> = { severity: 'info', title: 'x', text: 'y'.repeat(200), evidence: [] }
  store.transaction(() => {
    for (let number = 1; number <= 2100; number += 1) {
      const frame: Frame = { number, kind: 'text', step: 1, text: `piece ${number}` }
      store.frames.write(scope, [frame])
      if (number % 3 === 0) store.ledger.write(scope, { kind: 'finding', source: 'server', payload: finding })
    }
    for (let results = 0; results < 10; results += 1) {
      store.blobs.put(scope, { id: newId('blob'), runId: scope.runId, text: 'z'.repeat(100_000), createdAt: 1 })
    }
    const said = { id: newId('message'), chatId: scope.chatId, runId: scope.runId, role: 'user', text: 'words' } as const
    store.messages.add(scope, { ...said, createdAt: 1 })
    store.runs.end(scope, scope.runId, { outcome, at: 1 })
  })
  return scope
}

/** Some sealed values as they lie on the disk: whoever takes the key one day reads what is left of them. */
function takeSealed(temp: TempStore): readonly Buffer[] {
  const tables = ['frames', 'beat_payloads', 'blobs', 'messages', 'chats']
  const columns = { frames: 'data', beat_payloads: 'sealed', blobs: 'content', messages: 'text', chats: 'title' }
  return tables.flatMap((table) =>
    temp
      .rows<{ value: Buffer }>(`SELECT ${columns[table as keyof typeof columns]} AS value FROM ${table} LIMIT 50`)
      .map(({ value }) => value.subarray(0, 40)),
  )
}

function countLeft(temp: TempStore, sealed: readonly Buffer[]): number {
  const files = readdirSync(temp.homes.data, { withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.map(({ name }) => readFileSync(path.join(temp.homes.data, name)))
  return sealed.filter((value) => bytes.some((file) => file.includes(value))).length
}

function sweep(store: Store) {
  const fail = (cause: unknown) => {
    throw cause
  }
  return createSweeper({ store, now: Date.now, isWatched: () => false, report: fail }).sweep()
}

const rowsLeft = (temp: TempStore) =>
  temp.rows<{ n: number }>(
    `SELECT (SELECT count(*) FROM frames) + (SELECT count(*) FROM blobs) + (SELECT count(*) FROM messages)
       + (SELECT count(*) FROM beat_payloads JOIN beats USING (seq) WHERE chatId IS NOT NULL) + (SELECT count(*) FROM remains) AS n`,
  )[0]?.n

describe('a deleted chat', () => {
  it('leaves no sealed byte in any file once it is erased', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const gone = addMuch(temp.store, ann)
    const sealed = takeSealed(temp)
    expect(countLeft(temp, sealed)).toBe(sealed.length)
    need(temp.store.chats.remove(ann, gone.chatId))
    await sweep(temp.store)
    expect([countLeft(temp, sealed), rowsLeft(temp)]).toEqual([0, 0])
    const kept = addMuch(temp.store, ann)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, erased: 700 })
    need(await vacuumStore(temp.store))
    expect(temp.store.frames.read(ann, kept.runId, { after: 0, limit: 9 })).toHaveLength(9)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, erased: 700 })
  })

  it.each(['chat', 'project', 'account'] as const)(
    'is unreachable at once when its %s goes, before anything is erased',
    async (what) => {
      await using temp = await openTempStore()
      const { store } = temp
      const ann = addUser(temp, 'ann')
      const project = { id: newId('project'), name: 'app', path: '/app', device: '1', inode: '1', demo: false, createdAt: 1 }
      need(store.projects.create(ann, project))
      const { chatId, runId } = addMuch(store, ann)
      temp.change('UPDATE chats SET projectId = ? WHERE id = ?', project.id, chatId)
      const [blob] = temp.rows<{ id: string }>('SELECT id FROM blobs LIMIT 1')
      const seen = () => [
        store.chats.get(ann, chatId) !== null,
        store.runs.get(ann, runId) !== null,
        store.frames.read(ann, runId, { after: 0, limit: 1 }).length,
        store.ledger.list(ann, { chatId, limit: 1 }).items.length,
        store.ledger.list(ann, { runId, limit: 1 }).items.length,
        store.ledger.list(ann, { limit: 1 }).items.length,
        store.blobs.get(ann, blob?.id ?? '').ok,
      ]
      expect(seen()).toEqual([true, true, 1, 1, 1, 1, true])
      if (what === 'chat') need(store.chats.remove(ann, chatId))
      if (what === 'project') need(store.projects.remove(ann, project.id))
      if (what === 'account') need(store.users.remove(ann.userId))
      expect(rowsLeft(temp)).toBeGreaterThan(700)
      expect(seen()).toEqual([false, false, 0, 0, 0, 0, false])
      await sweep(store)
      expect(rowsLeft(temp)).toBe(0)
      expect(await store.ledger.verify()).toMatchObject({ valid: true, erased: 700 })
    },
  )

  it('does not come back when the server is killed in the middle of its erasure, again and again', {
    timeout: 60_000,
  }, async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const { chatId, runId } = addMuch(temp.store, ann)
    let before = rowsLeft(temp) ?? 0
    for (const [chat, steps] of [[chatId, 1] as const, [null, 2] as const, [null, 3] as const]) {
      temp.store.close()
      await eraseAndDie({ homes: temp.homes, owner: ann, chatId: chat }, steps)
      await temp.reopen()
      const left = rowsLeft(temp) ?? 0
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThan(before)
      before = left
      expect(temp.store.chats.get(ann, chatId)).toBeNull()
      expect(temp.store.ledger.list(ann, { runId, limit: 1 }).items).toEqual([])
      expect(await temp.store.ledger.verify()).toMatchObject({ valid: true })
    }
    await sweep(temp.store)
    expect(rowsLeft(temp)).toBe(0)
    expect(temp.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })
})

describe('content that retention removes', () => {
  it('reads as removed, not as damaged, when the server is killed in the middle of a sweep', { timeout: 60_000 }, async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const old = addMuch(temp.store, ann)
    const [blob] = temp.rows<{ id: string }>('SELECT id FROM blobs LIMIT 1')
    temp.store.close()
    await eraseAndDie({ homes: temp.homes, owner: ann, chatId: null }, 2)
    const store = await temp.reopen()
    expect(temp.rows<{ n: number }>('SELECT count(*) AS n FROM frames')[0]?.n).toBeGreaterThan(0)
    expect(store.frames.read(ann, old.runId, { after: 0, limit: 9 })).toEqual([])
    expect(store.retention.checkStream(ann, old.runId)).toMatchObject({ refusal: { code: 'content_removed' } })
    expect(store.blobs.get(ann, blob?.id ?? '')).toMatchObject({ refusal: { code: 'content_removed' } })
    await sweep(store)
    expect(temp.rows('SELECT (SELECT count(*) FROM frames) + (SELECT count(*) FROM blobs) AS n')).toEqual([{ n: 0 }])
    expect(store.messages.list(ann, old.chatId, { limit: 9 }).items).toMatchObject([{ text: 'words' }])
    expect(store.ledger.list(ann, { runId: old.runId, limit: 9 }).items).toHaveLength(9)
    expect(await store.ledger.verify()).toMatchObject({ valid: true, erased: 0, entries: 701 })
    // What reads it back must not take the gap for damage either.
    need(await backUpStore(temp.homes, path.join(path.dirname(temp.homes.data), 'after.db')))
  })
})

describe('over the wire', () => {
  let server: TestServer
  let ada: Person
  let bob: Person
  const ask = (operation: string, who: Person, input?: object) =>
    call(server, operation, { headers: who.headers, ...(input ? { input } : {}) })
  const codeOf = ({ status, body }: Answer) => [status, body.refusal?.code ?? 'ok']

  beforeAll(async () => {
    server = await startTestServer({ fixturePaceMs: 0, environment: { HARNESS_WEB_LLM_FIXTURES: '1' } })
    ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
    bob = await join(server, ada, { username: 'bob' })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('answers 410 for a stream that was removed, with the day, and nothing to anybody else', async () => {
    const { body } = await ask('run/start', bob, { prompt: 'hello', mode: 'plan' })
    const { id } = body['run'] as { id: string }
    const watch = (who: Person) => fetch(`${server.url}/api/run/${id}/stream`, { headers: who.headers })
    expect(await (await watch(bob)).text()).toContain('event: ended')
    expect(codeOf(await ask('storage/setLimits', bob, { mebibytes: 1, days: 1 }))).toEqual([200, 'ok'])
    const clock = Date.now
    Date.now = () => clock() + 2 * 24 * 60 * 60 * 1000
    const cleaned = await ask('storage/clean', bob, {}).finally(() => {
      Date.now = clock
    })
    expect(cleaned.body['removed']).toMatchObject({ streams: 1, results: 0 })
    const gone = await watch(bob)
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringMatching(/removed by retention on \d{4}-\d\d-\d\d/)])
    expect((await watch(ada)).status).toBe(404)
    expect(codeOf(await ask(`run/${id}`, bob))).toEqual([200, 'ok'])
    expect(JSON.stringify((await ask('timeline/list', bob)).body)).toContain('"kind":"retention"')
  })

  it.each([
    ['a member', 'storage/file', undefined, 403],
    ['a member', 'storage/setBounds', { mebibytes: 1, days: 1 }, 403],
    ['an administrator', 'storage/file', undefined, 200],
    ['an administrator', 'storage/setBounds', { mebibytes: 100, days: 50 }, 200],
    ['a member', 'storage/setLimits', { mebibytes: 100, days: 50 }, 200],
    ['a member', 'storage/setLimits', { mebibytes: 101, days: 50 }, 409],
    ['a member', 'storage/setLimits', { mebibytes: 0, days: 50 }, 400],
    ['a member', 'storage/setLimits', { mebibytes: 1, days: 1, userId: 'another' }, 400],
  ])('lets %s call %s with %j: %i', async (who, operation, input, status) => {
    expect((await ask(operation, who === 'a member' ? bob : ada, input)).status).toBe(status)
  })
})
