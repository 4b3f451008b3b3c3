/** The streams of runs against those who would start, bill, read or stop work through them. */
import { randomUUID } from 'node:crypto'
import { join as joinPath } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Frame } from '@bridlewise/shared/wire'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, enter, join, type Person } from '../support/people.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { answersWith, finishes, type Part, type Step, says, silence, streams } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

let server: TestServer
let endpoint: ScriptedEndpoint
let ada: Person
let eve: Person
/** How the endpoint answers a prompt that holds the key; `Done.` to any other. */
const scripts = new Map<string, Step>()

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ steps: (request) => stepFor(request.raw.toString()) })
  server = await startTestServer()
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
  eve = await join(server, ada, { username: 'eve' })
  for (const person of [ada, eve]) {
    const provider = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    expect((await call(server, 'provider/create', { headers: person.headers, input: provider })).status).toBe(201)
  }
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await endpoint?.close()
})

function stepFor(body: string): Step {
  return [...scripts].find(([key]) => body.includes(key))?.[1] ?? answersWith('Done.')
}

/** A prompt that the endpoint answers with this step. */
function scripted(step: Step): string {
  const key = `task-${randomUUID()}`
  scripts.set(key, step)
  return key
}

const startWith = (person: Person, prompt: string, headers: Record<string, string> = {}) =>
  call(server, 'run/start', { headers: { ...person.headers, ...headers }, input: { prompt } })

async function start(person: Person, prompt: string): Promise<string> {
  const { status, body } = await startWith(person, prompt)
  expect(status).toBe(202)
  return (body['run'] as { id: string }).id
}

function open(person: Person, runId: string, more: { lastEventId?: string; signal?: AbortSignal } = {}): Promise<Response> {
  const { lastEventId, signal } = more
  return fetch(`${server.url}/api/run/${runId}/stream`, {
    headers: { ...person.headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    ...(signal ? { signal } : {}),
  })
}

/** The frames of a whole stream. Its lines are read here by hand: a parser might be kinder than the wire. */
async function framesOf(response: Response): Promise<Frame[]> {
  expect(response.status).toBe(200)
  return readEvents(await response.text())
}

function readEvents(text: string): Frame[] {
  const events = text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'))
  return events.map((event) => {
    const [id, name, data, ...rest] = event.split('\n')
    expect(rest).toEqual([])
    const frame = JSON.parse(data?.replace(/^data: /, '') ?? '') as Frame
    expect([id, name]).toEqual([`id: ${frame.number}`, `event: ${frame.kind}`])
    return frame
  })
}

/** What a viewer is told whose last frame was none of this stream. */
function resynced(whole: readonly Frame[]): Frame[] {
  const end = whole.at(-1)
  return end?.kind === 'ended' ? [{ number: 0, kind: 'resync', run: end.run }, ...whole] : []
}

const ends = (frames: readonly Frame[]) => frames.filter((frame) => frame.kind === 'ended')
const said = (frames: readonly Frame[]) => frames.map((frame) => (frame.kind === 'text' ? frame.text : '')).join('')

async function runsOf(person: Person): Promise<number> {
  const { body } = await call(server, 'run/list?limit=500', { headers: person.headers })
  return (body['runs'] as unknown[]).length
}

describe('asking for a stream', () => {
  let finished: string
  let foreign: string

  beforeAll(async () => {
    finished = await start(ada, 'one')
    foreign = await start(eve, 'two')
    await framesOf(await open(ada, finished))
    await framesOf(await open(eve, foreign))
  })

  const unknown = `run_${'0'.repeat(26)}`
  it.each([
    ['of a finished run', () => finished, 200],
    ['of an unknown run', () => unknown, 404],
    ["of somebody else's run", () => foreign, 404],
    ['of no run', () => 'start', 404],
  ])('%s starts no run and calls no model, by whichever kind of request', async (_, runId, status) => {
    const before = [await runsOf(ada), await runsOf(eve), endpoint.all.length]
    const url = `${server.url}/api/run/${runId()}/stream`
    const prefetch = { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender', 'idempotency-key': randomUUID() }
    for (const headers of [{}, prefetch]) {
      expect((await fetch(url, { headers: { ...ada.headers, ...headers } })).status).toBe(status)
      expect((await fetch(url, { method: 'HEAD', headers: { ...ada.headers, ...headers } })).status).toBe(405)
    }
    await turn()
    expect([await runsOf(ada), await runsOf(eve), endpoint.all.length]).toEqual(before)
  })
})

describe('a double-click', () => {
  const clicks = Array.from({ length: 20 })

  it('of twenty starts with one key is one run and one request to the model', async () => {
    const prompt = scripted(answersWith('Once.'))
    const key = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(clicks.map(() => startWith(ada, prompt, key)))
    const ids = new Set(answers.map(({ status, body }) => (status === 202 ? (body['run'] as { id: string }).id : status)))
    expect(ids.size).toBe(1)
    await framesOf(await open(ada, String([...ids][0])))
    expect(endpoint.received.filter(({ raw }) => raw.includes(prompt))).toHaveLength(1)
  })

  it('of twenty starts without a key is as many runs as were let in, each executed once', async () => {
    const prompt = scripted(answersWith('Each.'))
    const answers = await Promise.all(clicks.map(() => startWith(eve, prompt)))
    const started = answers.filter(({ status }) => status === 202).map(({ body }) => (body['run'] as { id: string }).id)
    for (const { status, body } of answers.filter((answer) => answer.status !== 202))
      expect([status, body.refusal?.code]).toEqual([429, expect.stringMatching(/^(rate_limited|run_too_many)$/)])
    expect(new Set(started).size).toBe(started.length)
    for (const id of started) expect(ends(await framesOf(await open(eve, id)))).toHaveLength(1)
    expect(endpoint.received.filter(({ raw }) => raw.includes(prompt))).toHaveLength(started.length)
  })
})

describe('a Last-Event-ID', () => {
  let mine: string
  let whole: Frame[]
  let other: string

  beforeAll(async () => {
    mine = await start(ada, 'mine')
    other = await start(ada, 'other')
    whole = await framesOf(await open(ada, mine))
    await framesOf(await open(ada, other))
  })

  it('that was a number of this stream gives what comes after it', async () => {
    for (const { number } of whole)
      expect(await framesOf(await open(ada, mine, { lastEventId: String(number) }))).toEqual(whole.slice(number))
  })

  it.each([
    ['-1'],
    ['1e308'],
    ['1.5'],
    ['0x2'],
    ['007'],
    ['NaN'],
    ['../'],
    ['../../start'],
    ['999999999999999'],
    ['99999999999999999999'],
    ["1' OR '1'='1"],
    ['{"number":1}'],
    ['1, 2'],
  ])('of %s was never given: one resync says how the run stands, and all of it follows', async (lastEventId) => {
    expect(await framesOf(await open(ada, mine, { lastEventId }))).toEqual(resynced(whole))
  })

  it('of the resync itself brings all that follows it, and none that is empty brings no other', async () => {
    expect(await framesOf(await open(ada, mine, { lastEventId: '0' }))).toEqual(whole)
    expect(await framesOf(await open(ada, mine, { lastEventId: '' }))).toEqual(whole)
  })

  it('that is the id of another run brings nothing of that run', async () => {
    expect(await framesOf(await open(ada, mine, { lastEventId: other }))).toEqual(resynced(whole))
    expect((await open(eve, mine, { lastEventId: '1' })).status).toBe(404)
  })

  it('that is ahead of a run that is active brings one resync, and then what comes as it comes', async () => {
    const last = Promise.withResolvers<void>()
    const runId = await start(ada, scripted(streams([says('Live.'), { type: 'until', ready: last.promise }, finishes('stop')])))
    const response = await open(ada, runId, { lastEventId: '4096' })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('Live.')) text += (await reader?.read())?.value ?? ''
    last.resolve()
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value
    const frames = readEvents(text)
    expect(frames[0]).toMatchObject({ number: 0, kind: 'resync', run: { id: runId, outcome: null } })
    expect(frames.slice(1)).toEqual(await framesOf(await open(ada, runId)))
  })

  it.each([
    ['that holds a line end', ['Last-Event-ID: 1\nLast-Event-ID: 2'], 400],
    ['that is continued on the next line', ['Last-Event-ID: 1\r\n 2'], 400],
    ['that holds a NUL', ['Last-Event-ID: 1\0'], 400],
    ['that stands there twice', ['Last-Event-ID: 1', 'Last-Event-ID: 2'], 400],
    ['of a mebibyte', [`Last-Event-ID: ${'1'.repeat(1024 * 1024)}`], 400],
    ['that is a number', ['Last-Event-ID: 1'], 200],
  ])('%s is answered with a typed no, or like any other', async (_, headers, status) => {
    const own = Object.entries(ada.headers).map(([name, value]) => `${name}: ${value}`)
    const line = `GET /api/run/${mine}/stream HTTP/1.1`
    const [reply] = await sendRaw(server.port, rawRequest(server.port, { line, headers: [...own, ...headers] }))
    expect(reply?.status).toBe(status)
    if (status !== 200) expect(JSON.parse(reply?.body ?? '')).toMatchObject({ refusal: { code: expect.any(String) } })
  })
})

describe('what a model says', () => {
  it.each([
    ['an event of its own', 'a\n\ndata: {"kind":"approval"}\n\n'],
    ['another name for its event', '\nevent: ended\ndata: {"number":1,"kind":"ended"}\n\n'],
    ['another number', '\r\nid: 999999\r\n\r\n'],
    ['lone carriage returns', '\rdata: x\r\rretry: 1\r'],
    ['the other line ends of Unicode', '\u2028data: x\u2028\u2029\u0085data: y'],
    ['a byte order mark and NULs', '\ufeffdata: x\0\0'],
    ['a comment', '\n: still here\n\n'],
  ])('is text, also when it is %s', async (_, text) => {
    const frames = await framesOf(await open(ada, await start(ada, scripted(answersWith(`${text}|`, text)))))
    expect(said(frames)).toBe(`${text}|${text}`)
    expect(frames.map(({ number }) => number)).toEqual(frames.map((_frame, at) => at + 1))
    expect(ends(frames)).toEqual([frames.at(-1)])
  })
})

describe('a cancel', () => {
  const cancel = (person: Person, runId: string) => call(server, `run/${runId}/cancel`, { headers: person.headers, input: {} })

  async function endBeats(runId: string): Promise<number> {
    const { body } = await call(server, `timeline/list?runId=${runId}&limit=500`, { headers: ada.headers })
    return (body['beats'] as { kind: string }[]).filter(({ kind }) => kind === 'run_ended').length
  }

  it.each([
    ['before', 0],
    ['with', 1],
    ['shortly after', 3],
    ['after', 40],
  ])('that comes %s the last word, twice at once, leaves one end', async (_, turns) => {
    const last = Promise.withResolvers<void>()
    const wait: Part = { type: 'until', ready: last.promise }
    const prompt = scripted(streams([says('Almost.'), wait, says(' Done.'), finishes('stop')]))
    const runId = await start(ada, prompt)
    const frames = open(ada, runId).then(framesOf)
    last.resolve()
    for (let passed = 0; passed < turns; passed += 1) await turn()
    const answers = await Promise.all([cancel(ada, runId), cancel(ada, runId)])
    for (const { status, body } of answers) expect([200, 409], JSON.stringify(body)).toContain(status)
    expect(ends(await frames)).toEqual([(await frames).at(-1)])
    expect(await endBeats(runId)).toBe(1)
    expect((await cancel(ada, runId)).body.refusal?.code).toBe('run_already_ended')
    expect(await framesOf(await open(ada, runId))).toEqual(await frames)
  })

  it('by somebody else is answered like one of a run that does not exist, and stops nothing', async () => {
    const last = Promise.withResolvers<void>()
    const runId = await start(ada, scripted(streams([says('Mine.'), { type: 'until', ready: last.promise }, finishes('stop')])))
    const foreign = await cancel(eve, runId)
    expect(foreign).toEqual(await cancel(eve, `run_${'0'.repeat(26)}`))
    expect(foreign.status).toBe(404)
    last.resolve()
    expect(ends(await framesOf(await open(ada, runId)))).toMatchObject([{ run: { status: 'completed' } }])
  })
})

describe('a run that nobody watches', () => {
  it('goes on, and who comes back misses none of thousands of frames', async () => {
    const gone = Promise.withResolvers<void>()
    // Words of two kinds in turn are never joined, so that each is a frame.
    const deltas = Array.from({ length: 4_200 }, (_, at) =>
      at % 2 === 0 ? { content: `w${at} ` } : { reasoning_content: 'hm ' },
    )
    const words = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`).join('')
    const many: Part = { type: 'raw', text: words }
    const prompt = scripted(streams([says('First. '), { type: 'until', ready: gone.promise }, many, finishes('stop')]))
    const runId = await start(ada, prompt)
    const leave = new AbortController()
    const tabs = await Promise.all([1, 2, 3].map(() => open(ada, runId, { signal: leave.signal })))
    await tabs[0]?.body?.getReader().read()
    leave.abort()
    gone.resolve()
    const whole = await framesOf(await open(ada, runId))
    expect(whole.length).toBeGreaterThan(4_200)
    expect(whole.map(({ number }) => number)).toEqual(whole.map((_, at) => at + 1))
    expect(await framesOf(await open(ada, runId, { lastEventId: '2' }))).toEqual(whole.slice(2))
    expect(ends(whole)).toMatchObject([{ run: { status: 'completed' } }])
  })
})

describe('a server that is killed', () => {
  it('once a run is claimed leaves it interrupted: nothing is executed again, and a late cancel changes nothing', async () => {
    await using quiet = await startScriptedEndpoint({ steps: () => silence })
    await using process = await ServerProcess.start()
    const client = await signUp(process.url, process.setupCode)
    const provider = { name: 'Scripted', kind: 'custom', baseUrl: quiet.baseUrl, models: ['scripted'] }
    need(await client.provider.create(provider))
    const database = new Sqlite(joinPath(process.homes.data, 'bridlewise.db'), { readonly: true })
    const claims = database.prepare<[], { runId: string }>('SELECT runId FROM run_executions')
    const starting = client.run.start({ prompt: 'Wait for me.' })
    let claim = claims.get()
    for (; !claim; claim = claims.get()) await turn()
    await process.kill()
    await starting.catch(() => null)
    const called = quiet.received.length
    expect(called).toBeLessThanOrEqual(1)
    database.close()

    await process.restart()
    const { runId } = claim
    expect(need(await client.run.get({ runId })).run.status).toBe('interrupted')
    const frames: Frame[] = []
    for await (const frame of client.run.stream({ runId })) frames.push(frame)
    expect(ends(frames)).toMatchObject([{ run: { status: 'interrupted' } }])
    expect(await client.run.cancel({ runId })).toMatchObject({ ok: false, refusal: { code: 'run_already_ended' } })
    expect(quiet.received).toHaveLength(called)
  })
})

describe('a page mark', () => {
  it.each([['timeline/list'], ['run/list'], ['chat/list'], ['audit/list'], ['chat/:chatId']])(
    'that no page of %s gave is refused, and its own is not',
    async (path) => {
      const { body: chats } = await call(server, 'chat/list?limit=1', { headers: ada.headers })
      const [chat] = chats['chats'] as { id: string }[]
      const at = (query: string) => call(server, `${path.replace(':chatId', chat?.id ?? '')}?${query}`, { headers: ada.headers })
      for (const mark of ['abc', '-1', '1.5', '1e3', '0x1', '', '9'.repeat(200), `user_${'0'.repeat(26)}`, '1;2', '%00']) {
        const { status, body } = await at(`after=${mark}`)
        expect([mark, status, body.refusal?.code]).toEqual([mark, 400, 'input_invalid'])
      }
      const first = await at('limit=1')
      expect(first.status).toBe(200)
      const next = first.body['next']
      if (path !== 'chat/:chatId') expect(next).toEqual(expect.any(String))
      if (next !== undefined) expect((await at(`after=${String(next)}&limit=1`)).status).toBe(200)
    },
  )
})
