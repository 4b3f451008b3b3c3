/** The promise of the blocks: one declaration and its handlers, and everything else is there. */
import type { CallContext } from '@bridlewise/server'
import { blocks, command, defineBlock, type Handlers, query, stream } from '@bridlewise/shared'
import { createClient } from '@bridlewise/shared/client'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { need } from '../support/script-client.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

const note = z.object({ id: z.string(), text: z.string() })

const notes = defineBlock({
  id: 'note',
  title: 'Notes',
  about: 'Declared in a test, to see what follows from a declaration.',
  operations: {
    add: command({
      path: '/add',
      title: 'Add a note',
      status: 201,
      idempotency: 'key',
      bodyLimit: 1024,
      input: z.strictObject({ text: z.string().min(1).max(2000), tags: z.array(z.string()).default([]) }),
      output: z.object({ note }),
    }),
    list: query({
      path: '/list',
      title: 'List notes',
      input: z.strictObject({ most: z.coerce.number().int().default(10) }),
      output: z.object({ notes: z.array(note) }),
    }),
    get: query({
      path: '/:noteId',
      title: 'Read a note',
      access: 'owner',
      input: z.strictObject({ noteId: z.string() }),
      output: z.object({ note }),
      refusals: ['thing_unknown'],
    }),
    forget: command({ path: '/forget', title: 'Forget all', access: 'admin', input: z.strictObject({}), output: z.object({}) }),
    careless: query({
      path: '/careless',
      title: 'Answer more than was declared',
      input: z.strictObject({}),
      output: z.object({}),
    }),
    watch: stream({
      path: '/watch',
      title: 'Watch',
      input: z.strictObject({}),
      frame: z.object({ number: z.number(), kind: z.literal('tick'), text: z.string() }),
    }),
  },
  tables: [
    {
      id: 'notes',
      title: 'Notes',
      operation: 'list',
      rows: 'notes',
      key: 'id',
      empty: 'None.',
      columns: [{ field: 'text', title: 'Text', format: 'text' }],
    },
  ],
  actions: [{ id: 'add', title: 'Add', operation: 'add', on: 'block' }],
})

const kept: z.infer<typeof note>[] = []

const handlers: Handlers<typeof notes, CallContext> = {
  add: async (_context, { text }) => {
    if (text === 'break') throw new Error(`broke on ${text}`)
    await new Promise((resolve) => setImmediate(resolve))
    kept.push({ id: String(kept.length + 1), text })
    return ok({ note: { id: String(kept.length), text } })
  },
  list: async (_context, { most }) => ok({ notes: kept.slice(0, most) }),
  get: async (_context, { noteId }) => {
    const found = kept.find(({ id }) => id === noteId)
    return found ? ok({ note: found }) : refuse('thing_unknown', { kind: 'note' })
  },
  forget: async () => ok({}),
  careless: async () => ok({ password: 'x' } as object as Record<string, never>),
  watch: async (context) => ok(ticksAfter(typeof context.lastEventId === 'number' ? context.lastEventId : 0)),
}

async function* ticksAfter(seen: number) {
  for (let number = seen + 1; number <= 3; number += 1) yield { number, kind: 'tick' as const, text: 'a\n\ndata: b' }
}

let server: TestServer
let session: Session

beforeAll(async () => {
  server = await startTestServer({ extra: { blocks: [notes], handlers: { note: handlers } } })
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

const client = () => createClient([...blocks, notes], { origin: server.url, fetch, headers: () => session.headers })

const add = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}/api/note/add`, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': 'application/json', ...headers },
    body,
  })

describe('a block that was declared in a test', () => {
  it('has routes, and methods of the client that call them', async () => {
    const added = need(await client().note.add({ text: 'first' }))
    expect(added.note.text).toBe('first')
    expect(need(await client().note.list({})).notes).toEqual([added.note])
    expect(need(await client().note.get({ noteId: added.note.id }))).toEqual({ note: added.note })
    expect(await client().note.get({ noteId: 'none' })).toMatchObject({ ok: false, refusal: { code: 'thing_unknown' } })
  })

  it('answers with the declared status', async () => {
    expect((await add('{"text":"second"}')).status).toBe(201)
  })

  it('is in the served schema, with its table and its action', async () => {
    const schema = need(await client().ui.schema({}))
    expect(schema.blocks.at(-1)).toMatchObject({
      id: 'note',
      surface: 'generic',
      tables: [{ id: 'notes', operation: 'list' }],
      actions: [{ id: 'add', operation: 'add' }],
    })
  })

  it('is in the OpenAPI document', async () => {
    const response = await fetch(`${server.url}/api/openapi.json`, { headers: session.headers })
    const { paths } = (await response.json()) as { paths: Record<string, unknown> }
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/api/note/add', '/api/note/list', '/api/note/{noteId}', '/api/note/watch']),
    )
  })

  it('streams its frames from the one after Last-Event-ID, and model text cannot begin an event', async () => {
    const frames: unknown[] = []
    for await (const frame of client().note.watch({}, { lastEventId: 1 })) frames.push(frame)
    expect(frames).toEqual([
      { number: 2, kind: 'tick', text: 'a\n\ndata: b' },
      { number: 3, kind: 'tick', text: 'a\n\ndata: b' },
    ])
    const response = await fetch(`${server.url}/api/note/watch`, { headers: session.headers })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await response.text()).split('\n\n')[0]).toBe(
      'id: 1\nevent: tick\ndata: {"number":1,"kind":"tick","text":"a\\n\\ndata: b"}',
    )
  })

  it.each(['-1', '1e308', '0', '1.5', '../../run', ' 1', '9'.repeat(400), 'run_01'])(
    'takes the Last-Event-ID "%s" for none',
    async (id) => {
      const response = await fetch(`${server.url}/api/note/watch`, { headers: { ...session.headers, 'last-event-id': id } })
      expect((await response.text()).match(/^id: \d+$/gm)).toEqual(id === ' 1' ? ['id: 2', 'id: 3'] : ['id: 1', 'id: 2', 'id: 3'])
    },
  )
})

describe('its input', () => {
  it.each([
    ['{"text":"x","role":"admin"}', '"role"'],
    ['{"text":"x","__proto__":{"role":"admin"}}', '__proto__'],
    ['{"text":1}', '"text"'],
    ['{}', '"text": it is missing'],
    ['{"text":"x","tags":["a",2]}', '"tags.1"'],
    ['[]', 'must be an object'],
    ['"text"', 'must be an object'],
    ['null', 'must be an object'],
  ])('%s is refused by name', async (body, names) => {
    const response = await add(body)
    const { refusal } = (await response.json()) as { refusal: { code: string; message: string } }
    expect(refusal).toMatchObject({ code: 'input_invalid', message: expect.stringContaining(names) })
    expect(response.status).toBe(400)
  })

  it('is not taken from the query of a command, and not twice', async () => {
    const inQuery = await fetch(`${server.url}/api/note/add?text=x`, {
      method: 'POST',
      headers: { ...session.headers, 'content-type': 'application/json' },
      body: '{"text":"x"}',
    })
    expect(inQuery.status).toBe(400)
    const twice = await fetch(`${server.url}/api/note/list?most=1&most=2`, { headers: session.headers })
    expect(twice.status).toBe(400)
    const inPath = await fetch(`${server.url}/api/note/1?noteId=2`, { headers: session.headers })
    expect(inPath.status).toBe(400)
  })

  it('may be as long as declared and not one byte longer', async () => {
    const text = (length: number) => `{"text":"${'x'.repeat(length - '{"text":""}'.length)}"}`
    expect((await add(text(1024))).status).toBe(201)
    const tooLong = await add(text(1025))
    expect(tooLong.status).toBe(413)
    expect(await tooLong.json()).toMatchObject({ refusal: { code: 'body_too_large', details: { limit: 1024 } } })
  })
})

describe('its replies', () => {
  it('are faults when they hold what was not declared, and the wire says nothing of it', async () => {
    const answer = await client().note.careless({})
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'server_fault' } })
    expect(JSON.stringify(answer)).not.toContain('password')
  })

  it('say nothing of a fault but the name of its log entry', async () => {
    const response = await add('{"text":"break"}')
    const text = await response.text()
    expect(response.status).toBe(500)
    const fault = /fault_[0-9a-f]{16}/.exec(text)?.[0] ?? 'none'
    expect(text).not.toMatch(/broke on|\.ts|stack|node:/)
    const entries = server.log.filter((line) => line.includes(fault))
    expect(entries).toHaveLength(1)
    expect(entries[0]).toContain('broke on break')
  })
})

describe('its idempotency', () => {
  const key = (name: string) => ({ 'idempotency-key': `throw-away-${name}` })

  it('gives the first answer to a repeated call, and works once', async () => {
    const before = kept.length
    const answers = [await add('{"text":"once"}', key('repeat')), await add('{"text":"once","tags":[]}', key('repeat'))]
    const [first, second] = await Promise.all(answers.map((answer) => answer.json()))
    expect(second).toEqual(first)
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(kept.length).toBe(before + 1)
  })

  it('executes once when two calls come at the same time', async () => {
    const before = kept.length
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('{"text":"together"}', key('together'))))
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())))
    expect(texts.size).toBe(1)
    expect(kept.length).toBe(before + 1)
  })

  it('refuses the key for another request, and an unusable key', async () => {
    await add('{"text":"one"}', key('reused'))
    expect(await (await add('{"text":"other"}', key('reused'))).json()).toMatchObject({
      refusal: { code: 'idempotency_key_reused' },
    })
    expect(await (await add('{"text":"one"}', { 'idempotency-key': 'short' })).json()).toMatchObject({
      refusal: { code: 'idempotency_key_invalid' },
    })
  })

  it('frees the key of a call that broke', async () => {
    expect((await add('{"text":"break"}', key('broke'))).status).toBe(500)
    expect((await add('{"text":"mended"}', key('broke'))).status).toBe(201)
  })
})
