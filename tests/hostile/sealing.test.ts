/** What is sealed, attacked where it shows: in its cells by declaration, over HTTP, in what the cipher draws and lets out. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/storage/database.ts'
import { StorageFault } from '../../server/storage/index.ts'
import { readKeys } from '../../server/storage/key-home.ts'
import { createRandomPool } from '../../server/storage/random.ts'
import { type Cell, createSeal } from '../../server/storage/seal.ts'
import { cellIn } from '../../server/storage/sealed-column.ts'
import { sealedColumns } from '../../server/storage/sealed-columns.ts'
import { type Answer, call } from '../support/people.ts'
import { fill } from '../support/sealed-cells.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'
import { addUser, openTempStore } from '../support/store.ts'

const cell: Cell = { table: 'messages', column: 'text', row: 'message_1', parent: 'chat_1', owner: 'user_1' }
const id = '0011223344556677'
const otherId = '8899aabbccddeeff'

function faultOf(work: () => unknown): StorageFault | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof StorageFault) return error
    throw error
  }
}

describe('CRY-01: a value of every declared column', () => {
  it('opens in the cell of its declaration, and in none that differs in one part or by its key', async () => {
    await using temp = await openTempStore()
    await fill(temp, 'word')
    const keys = readKeys(temp.homes.keys)
    if (!keys.ok) throw new Error(keys.refusal.message)
    const [[active = '', bytes = Buffer.alloc(32)] = []] = keys.value
    const seal = createSeal({ active, keys: new Map([...keys.value, [otherId, bytes]]) })
    const stranger = createSeal({ active, keys: new Map([[active, randomBytes(32)]]) })
    for (const declared of sealedColumns) {
      const { table, column, row, parent = "''", owner } = declared
      const rows = temp.rows<{ value: Buffer; row: unknown; parent: unknown; owner: unknown }>(
        `SELECT ${column} AS value, ${row} AS row, ${parent} AS parent, ${owner} AS owner FROM ${table} WHERE ${column} IS NOT NULL`,
      )
      const cellOf = (cell: (typeof rows)[number]) =>
        cellIn(declared, { row: String(cell.row), parent: String(cell.parent), owner: String(cell.owner) })
      // Beside it stands what the store keeps for itself, such as its own secrets.
      const found = rows.find((cell) => seal.open(cellOf(cell), cell.value).includes('word'))
      if (found === undefined) throw new Error(`nothing is sealed in ${table}.${column}`)
      const own = cellOf(found)
      for (const part of ['table', 'column', 'row', 'parent', 'owner'] as const) {
        const moved = { ...own, [part]: `${own[part]}x` }
        const fault = faultOf(() => seal.open(moved, found.value))
        expect([table, part, fault?.refusal.code]).toEqual([table, part, 'sealed_value_tampered'])
        expect(fault?.refusal.details).toMatchObject({ row: moved.row })
      }
      // The same 32 bytes under another id: the id itself is bound, not only the key.
      const relabelled = Buffer.concat([found.value.subarray(0, 1), Buffer.from(otherId, 'hex'), found.value.subarray(9)])
      expect(faultOf(() => seal.open(own, relabelled))?.refusal.code).toBe('sealed_value_tampered')
      expect(faultOf(() => stranger.open(own, found.value))?.refusal.code).toBe('sealed_value_tampered')
    }
  })
})

describe('CRY-05: an older value of the same cell', () => {
  it('opens, which is a stated limit; in the ledger it does not pass', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    temp.store.settings.set(ann, 'chosenModel', { providerId: 'p', modelId: 'older' })
    const [older] = temp.rows<{ value: Buffer }>('SELECT value FROM settings')
    temp.store.settings.set(ann, 'chosenModel', { providerId: 'p', modelId: 'newer' })
    temp.change('UPDATE settings SET value = ?', older?.value)
    expect(temp.store.settings.get(ann, 'chosenModel')).toMatchObject({ modelId: 'older' })
    const scope = { ...ann, runId: null, chatId: null }
    const payload = { severity: 'info' as const, title: 'one', text: '', evidence: [] }
    const beat = temp.store.ledger.write(scope, { kind: 'finding', source: 'server', payload })
    const keys = readKeys(temp.homes.keys)
    const [[active = '', bytes = Buffer.alloc(32)] = []] = keys.ok ? keys.value : []
    const place = { table: 'beat_payloads', column: 'sealed', row: beat.id, parent: '', owner: ann.userId }
    const forged = createSeal({ active, keys: new Map([[active, bytes]]) }).seal(place, `${'0'.repeat(32)}\n{}`)
    temp.change('DROP TRIGGER beat_payloads_never_change')
    temp.change('UPDATE beat_payloads SET sealed = ?', forged)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: false, broken: { seq: 1 } })
  })
})

describe('CRY-06: a million draws of what values are sealed with', () => {
  it('repeat none', () => {
    const draw = createRandomPool(12)
    const seen = new Set<string>()
    for (let drawn = 0; drawn < 1_000_000; drawn += 1) seen.add(draw().toString('latin1'))
    expect(seen.size).toBe(1_000_000)
  })
})

describe('CRY-07: a long value whose tag is wrong', () => {
  it('gives nothing of itself away, neither as an answer nor in the fault', () => {
    const seal = createSeal({ active: id, keys: new Map([[id, randomBytes(32)]]) })
    const value = seal.seal(cell, 'canary '.repeat(100_000))
    value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1)
    const fault = faultOf(() => seal.open(cell, value))
    expect(fault?.refusal.code).toBe('sealed_value_tampered')
    expect(`${JSON.stringify(fault)} ${fault?.stack} ${String(fault?.cause)}`).not.toContain('canary')
  })
})

describe('over HTTP', () => {
  let server: TestServer
  let ada: Session
  beforeAll(async () => {
    server = await startTestServer()
    ada = await server.signIn()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const ask = (path: string, input?: object) => call(server, path, { headers: ada.headers, ...(input ? { input } : {}) })

  function beside<T>(work: (database: ReturnType<typeof openDatabase>) => T): T {
    const database = openDatabase(join(server.config.homes.data, 'bridlewise.db'))
    try {
      return work(database)
    } finally {
      database.close()
    }
  }

  const title = (chatId: string) =>
    beside((database) => database.prepare<[string], { title: Buffer }>('SELECT title FROM chats WHERE id = ?').get(chatId)?.title)
  const writeTitle = (chatId: string, value: unknown) =>
    beside((database) => database.prepare('UPDATE chats SET title = ? WHERE id = ?').run(value, chatId))
  const newChat = async (name: string) => ((await ask('chat/create', { title: name })).body['chat'] as { id: string }).id

  it('CRY-08: every spoilt value is answered with one status and one text', async () => {
    const [chatId, otherChat] = [await newChat('mine'), await newChat('other')]
    const value = title(chatId) ?? Buffer.alloc(0)
    const spoil = (at: number) => Buffer.from(value.map((byte, place) => (place === at ? byte ^ 1 : byte)))
    const foreign = createSeal({ active: id, keys: new Map([[id, randomBytes(32)]]) })
    const spoilt = [
      spoil(0),
      spoil(1),
      spoil(10),
      spoil(22),
      spoil(value.length - 1),
      value.subarray(0, 20),
      value.subarray(0, -1),
      title(otherChat),
      foreign.seal(cell, 'mine'),
      Buffer.concat([value.subarray(0, 9), foreign.seal(cell, 'mine').subarray(9)]),
      Buffer.alloc(0),
      'mine',
    ]
    const answers: Answer[] = []
    for (const bytes of spoilt) {
      writeTitle(chatId, bytes)
      answers.push(await ask(`chat/${chatId}`))
    }
    expect(answers[0]?.body.refusal?.code).toBe('sealed_value_tampered')
    expect(answers).toEqual(spoilt.map(() => answers[0]))
    writeTitle(chatId, value)
    expect((await ask(`chat/${chatId}`)).status).toBe(200)
  })

  it('CRY-15: a stored key shows its last four characters, and its mask does not replace it', async () => {
    const apiKey = `sk-${randomBytes(24).toString('hex')}`
    const made = await ask('provider/create', {
      name: 'p',
      kind: 'custom',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey,
      models: ['m'],
    })
    const { id: providerId, key } = made.body['provider'] as { id: string; key: object }
    expect(key).toEqual({ stored: true, tail: apiKey.slice(-4) })
    const stored = () =>
      beside((database) => database.prepare<[], { apiKey: Buffer }>('SELECT apiKey FROM providers').get()?.apiKey.toString('hex'))
    const before = stored()
    for (const mask of [`****${apiKey.slice(-4)}`, `\u2022\u2022\u2022\u2022${apiKey.slice(-4)}`]) {
      expect((await ask(`provider/${providerId}/update`, { apiKey: mask })).body.refusal?.code).toBe('input_invalid')
    }
    const renamed = await ask(`provider/${providerId}/update`, { name: 'q' })
    expect(renamed.status).toBe(200)
    expect(stored()).toBe(before)
    const shown = JSON.stringify([made, renamed, await ask('provider/list'), await ask('ui/schema'), await ask('posture')])
    expect(shown).not.toContain(apiKey.slice(0, 20))
    const files = readdirSync(server.config.homes.data).filter((name) => name.startsWith('bridlewise.db'))
    for (const name of files) expect(readFileSync(join(server.config.homes.data, name)).includes(apiKey)).toBe(false)
  })

  it.each([
    ['timeline/list?runId=%27%20OR%201%3D1%20--', 200],
    ['timeline/list?chatId=x%22%3B%20DROP%20TABLE%20beats%3B--', 200],
    ['timeline/list?after=0%20OR%201%3D1', 400],
    ['timeline/list?userId=someone', 400],
    ['timeline/list?1%3D1%20OR%20runId=x', 400],
    ['timeline/list?__proto__=x', 400],
  ])('CRY-16: a filter is a value and never a piece of SQL: %s', async (path, status) => {
    await newChat('there')
    const answer = await ask(path)
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body['beats']).toEqual([])
    expect((await ask('timeline/list')).status).toBe(200)
  })

  it('CRY-16: stored state that names a constructor is data, and makes nothing', async () => {
    const hostile = '["m", {"lc": 1, "type": "constructor", "$type": "Function"}, {"__proto__": {"polluted": true}}]'
    const read = () =>
      beside((database) => database.prepare<[], { models: string }>('SELECT models FROM providers').get()?.models)
    const before = read()
    beside((database) => database.prepare('UPDATE providers SET models = ?').run(hostile))
    await ask('provider/list')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    beside((database) => database.prepare('UPDATE providers SET models = ?').run(before))
    expect((await ask('provider/list')).status).toBe(200)
  })
})

it.each(['server', 'engine/src', 'shared', 'guardian'])(
  'CRY-16: nothing in %s makes code or objects of a class from stored bytes',
  (part) => {
    const root = join(import.meta.dirname, '../..', part)
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => [name, readFileSync(join(root, name), 'utf8')] as const)
    expect(sources.length).toBeGreaterThan(3)
    const makers = /['"](?:node:)?vm['"]|\beval\(|\bnew Function\b|\bdeserialize\(/
    expect(sources.filter(([, text]) => makers.test(text)).map(([name]) => name)).toEqual([])
  },
)
