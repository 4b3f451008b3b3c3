/** A request that waits for its person: nothing of it leaves before they said so, whoever else says what. */
import { hash } from 'node:crypto'
import type { Beat, EgressPart, HeldRequest, Run } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { call, enter, join, type Person } from '../support/people.ts'
import { answersWith } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let endpoint: ScriptedEndpoint
let ada: Person
let bob: Person
let model: object
let projectId: string

const open = { burst: 10_000, everyMs: 1 }

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: () => answersWith('Hello.') })
  server = await startTestServer({ limits: { rates: { light: open, normal: open, costly: open, secret: open } } })
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
  bob = await join(server, ada, { username: 'bob' })
  const given = { name: 'p', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
  const { provider } = await post('provider/create', given)
  model = { providerId: (provider as { id: string }).id, modelId: 'scripted' }
  projectId = ((await post('project/demo', {}))['project'] as { id: string }).id
  await post('egress/holdProject', { projectId, held: true })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
})

async function post(operation: string, input: object) {
  const { status, body } = await call(server, operation, { headers: ada.headers, input })
  expect([operation, body.refusal?.message, status < 300]).toEqual([operation, undefined, true])
  return body as Record<string, unknown>
}

async function read<T>(operation: string, key: string): Promise<T> {
  const { body } = await call(server, operation, { headers: ada.headers })
  return body[key] as T
}

interface Waiting {
  readonly runId: string
  readonly held: HeldRequest
  /** Requests that had arrived before. */
  readonly before: number
  answer(given?: object, who?: Person): Promise<string>
  ended(): Promise<Run>
  beats(): Promise<readonly Beat[]>
}

/** A run whose first request waits. */
async function startHeld(): Promise<Waiting> {
  const before = endpoint.received.length
  const { run } = (await post('run/start', { prompt: 'Say hello.', projectId, model, mode: 'plan' })) as { run: Run }
  const runId = run.id
  const held = await vi.waitFor(async () => {
    const [first] = await read<HeldRequest[]>(`egress/held?runId=${runId}`, 'held')
    if (!first) throw new Error('nothing waits yet')
    return first
  })
  const beats = () => read<Beat[]>(`timeline/list?runId=${runId}`, 'beats')
  return {
    runId,
    held,
    before,
    beats,
    async answer(given = {}, who = ada) {
      const input = { runId, holdId: held.id, digest: held.egress.digest, answer: 'send', ...given }
      const { status, body } = await call(server, 'egress/answer', { headers: who.headers, input })
      return status < 300 ? 'taken' : (body.refusal?.code ?? String(status))
    },
    async ended() {
      await fetch(`${server.url}/api/run/${runId}/stream`, { headers: ada.headers }).then((answer) => answer.text())
      return read<Run>(`run/${runId}`, 'run')
    },
  }
}

const arrivals = ({ before }: Waiting) => endpoint.received.length - before
const kinds = (beats: readonly Beat[]) => beats.map(({ kind }) => kind).filter((kind) => kind === 'held' || kind === 'request')

it('leaves as it was shown, byte for byte, after the answer is on record', async () => {
  const waiting = await startHeld()
  const preview = `egress/preview?runId=${waiting.runId}&holdId=${waiting.held.id}`
  const body = await read<string>(preview, 'body')
  const parts = await read<EgressPart[]>(preview, 'parts')
  expect(hash('sha256', body)).toBe(waiting.held.egress.digest)
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(Buffer.byteLength(body))
  expect(arrivals(waiting)).toBe(0)
  expect(await read(`egress/list?runId=${waiting.runId}`, 'requests')).toEqual([])
  expect(await waiting.answer()).toBe('taken')
  expect((await waiting.ended()).status).toBe('completed')
  expect(endpoint.received.at(-1)?.raw.toString()).toBe(body)
  const beats = await waiting.beats()
  expect(kinds(beats)).toEqual(['held', 'request'])
  const digest = waiting.held.egress.digest
  expect(beats.find(({ kind }) => kind === 'held')).toMatchObject({ source: 'user', payload: { answer: 'send', digest } })
})

it('is neither seen nor answered by anybody else, and its own person still can', async () => {
  const waiting = await startHeld()
  for (const path of ['held', 'preview']) {
    const id = path === 'preview' ? `&holdId=${waiting.held.id}` : ''
    const { body } = await call(server, `egress/${path}?runId=${waiting.runId}${id}`, { headers: bob.headers })
    expect([path, body.refusal?.code]).toEqual([path, 'thing_unknown'])
  }
  expect(await waiting.answer({}, bob)).toBe('thing_unknown')
  expect(await waiting.answer({ answer: 'stop' }, bob)).toBe('thing_unknown')
  const own = await startHeld().catch(() => null)
  expect(own).not.toBeNull()
  // An id of another run, even of one's own, opens nothing.
  expect(await waiting.answer({ runId: own?.runId })).toBe('hold_over')
  expect(await own?.answer({ answer: 'stop' })).toBe('taken')
  expect(arrivals(waiting)).toBe(0)
  expect(await waiting.answer()).toBe('taken')
  await waiting.ended()
  expect(arrivals(waiting)).toBe(1)
})

it.each([
  ['sent twice', ['send', 'send']],
  ['sent and stopped', ['send', 'stop']],
  ['stopped twice', ['stop', 'stop']],
])('%s at once counts once', async (_name, answers) => {
  const waiting = await startHeld()
  const taken = await Promise.all(answers.map((answer) => waiting.answer({ answer })))
  expect(taken.toSorted()).toEqual(['hold_over', 'taken'])
  const first = answers[taken.indexOf('taken')]
  const { status } = await waiting.ended()
  expect([status, arrivals(waiting)]).toEqual(first === 'send' ? ['completed', 1] : ['cancelled', 0])
  expect(kinds(await waiting.beats())).toEqual(first === 'send' ? ['held', 'request'] : ['held'])
  expect(await waiting.answer()).toBe('hold_over')
})

it('is not sent by an answer for another body, and then by the one for its own', async () => {
  const waiting = await startHeld()
  const stale = hash('sha256', 'another body')
  expect(await waiting.answer({ digest: stale })).toBe('hold_over')
  expect(await waiting.answer({ digest: stale, answer: 'stop' })).toBe('hold_over')
  expect(arrivals(waiting)).toBe(0)
  expect(await waiting.answer()).toBe('taken')
  await waiting.ended()
  expect(arrivals(waiting)).toBe(1)
})

it('is not sent by an answer that comes after the stop', async () => {
  const waiting = await startHeld()
  await post(`run/${waiting.runId}/cancel`, {})
  expect(await waiting.answer()).toBe('hold_over')
  expect([(await waiting.ended()).status, arrivals(waiting)]).toEqual(['cancelled', 0])
  expect(kinds(await waiting.beats())).toEqual([])
})

it('waits only where its person wants it', async () => {
  const before = endpoint.received.length
  const { run } = (await post('run/start', { prompt: 'Hello.', model })) as { run: Run }
  await fetch(`${server.url}/api/run/${run.id}/stream`, { headers: ada.headers }).then((answer) => answer.text())
  expect(endpoint.received.length - before).toBe(1)
  await post('egress/holdChat', { chatId: run.chatId, held: true })
  const again = (await post('run/start', { prompt: 'Again.', chatId: run.chatId, model })) as { run: Run }
  await vi.waitFor(async () => {
    expect(await read<HeldRequest[]>(`egress/held?runId=${again.run.id}`, 'held')).toHaveLength(1)
  })
  await post(`run/${again.run.id}/cancel`, {})
  const { chat } = (await post(`chat/${run.chatId}/fork`, {})) as { chat: { id: string } }
  expect(await read('egress/holds', 'chats')).toEqual([run.chatId, chat.id])
  const foreign = await call(server, 'egress/holdChat', { headers: bob.headers, input: { chatId: run.chatId, held: false } })
  expect(foreign.body.refusal?.code).toBe('thing_unknown')
  expect(endpoint.received.length - before).toBe(1)
})
