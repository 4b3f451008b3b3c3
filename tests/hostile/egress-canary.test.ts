/** RED-05: a secret of every kind on each way to an endpoint, and out of the record of it. It arrives nowhere and is handed on by nothing. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../support/people.ts'
import { answers, answersWith, callsTool, type Received, type Step } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const random = () => randomBytes(12).toString('hex')

/** The key of the endpoint, that of another, one that only looks like a key, and a word and a pattern of the person's own. */
const secrets = {
  key: `endpoint-${random()}`,
  stored: `plain/words+${random()}`,
  shaped: `ghp_${randomBytes(18).toString('hex')}`,
  word: `heron-${random()}`,
  pattern: `ACME-${random().slice(0, 8)}`,
}
const spoken = Object.values(secrets).join(' and ')

/** The kinds whose secret stands in a text, as it is or in base64. */
const findIn = (text: string) =>
  Object.entries(secrets).flatMap(([kind, secret]) =>
    text.includes(secret) || text.includes(Buffer.from(secret).toString('base64').slice(0, -4)) ? [kind] : [],
  )

let server: TestServer
let endpoint: ScriptedEndpoint
let headers: Readonly<Record<string, string>>
let root: string
let place: { readonly model: { readonly providerId: string; readonly modelId: string }; readonly projectId: string }
let script: Step[] = []

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'bridlewise-ways-'))
  endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: () => script.shift() ?? answersWith('Done.') })
  server = await startTestServer()
  headers = (await server.signIn()).headers
  const provider = { kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
  const made = await ask('provider/create', { ...provider, name: 'one', apiKey: secrets.key })
  await ask('provider/create', { ...provider, name: 'another', apiKey: secrets.stored })
  await ask('redaction/create', { name: 'bird', kind: 'text', value: secrets.word })
  await ask('redaction/create', { name: 'orders', kind: 'pattern', value: 'ACME-[a-f0-9]{8}' })
  const projectId = (await ask('project/create', { name: 'app', path: root }))['project']?.id ?? ''
  place = { projectId, model: { providerId: made['provider']?.id ?? '', modelId: 'scripted' } }
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
  rmSync(root, { recursive: true, force: true })
})

async function ask(operation: string, input?: object): Promise<Readonly<Record<string, { readonly id: string }>>> {
  const { status, body } = await call(server, operation, { headers, ...(input && { input }) })
  expect([operation, status < 300, body.refusal?.message]).toEqual([operation, true, undefined])
  return body as unknown as Readonly<Record<string, { readonly id: string }>>
}

const watch = (operation: string) => fetch(`${server.url}/api/${operation}`, { headers }).then((answer) => answer.text())

interface Played {
  readonly runId: string
  readonly chatId: string
  readonly stream: string
  /** What arrived meanwhile. */
  readonly arrived: readonly Received[]
}

/** Start something that makes a run, and see it to its end. */
async function play(operation: string, input: object, steps: readonly Step[]): Promise<Played> {
  const before = endpoint.received.length
  script = [...steps]
  const { run } = (await ask(operation, input)) as unknown as { readonly run: { readonly id: string; readonly chatId: string } }
  const stream = await watch(`run/${run.id}/stream`)
  expect(stream).toContain('event: ended')
  return { runId: run.id, chatId: run.chatId, stream, arrived: endpoint.received.slice(before) }
}

const say = (prompt: string, steps: readonly Step[], chat?: string) =>
  play('run/start', { prompt, model: place.model, ...(chat ? { chatId: chat } : { projectId: place.projectId }) }, steps)

describe('a secret of every kind', () => {
  it('is in no request for a summary, and in none that holds the summary', { timeout: 60_000 }, async () => {
    const { chatId } = await say(`Remember ${spoken}.`, [answersWith(`It is ${spoken}. ${'Long ago. '.repeat(2000)}`)])
    await say('And then?', [answersWith('The end.')], chatId)
    const { arrived } = await play(`context/${chatId}/compact`, {}, [answersWith(`They spoke of ${spoken}.`)])
    const after = await say('Go on.', [], chatId)
    const [summary = '', next = ''] = [...arrived, ...after.arrived].map(({ raw }) => raw.toString())
    expect(summary).toContain('Remember [REDACTED:')
    expect(next).toContain('They spoke of [REDACTED:')
    expect([...findIn(summary), ...findIn(next)]).toEqual([])
  })

  it('is in no name, description or schema of a tool', { timeout: 60_000 }, async () => {
    const offered = (await say('Hello.', [])).arrived[0]?.body?.tools ?? []
    // Our own words about tools are all there is in them; so some of these are made secret.
    const words = [...new Set(JSON.stringify(offered).match(/[a-z]{9,}/g))].filter(
      (word) => !/function|parameters|descript|propert|addition|required/.test(word),
    )
    const chosen = words.slice(0, 3)
    expect(chosen).toHaveLength(3)
    for (const value of chosen) await ask('redaction/create', { name: value, kind: 'text', value })
    const { arrived } = await say('Hello again.', [])
    const tools = JSON.stringify(arrived[0]?.body?.tools)
    expect(tools).toContain('[REDACTED:own_text:')
    expect(chosen.filter((word) => arrived[0]?.raw.includes(word))).toEqual([])
    expect(arrived[0]?.body?.tools).toHaveLength(offered.length)
  })

  it.each([
    ['as a status', (said: string) => answers(400, { error: { message: said } })],
    ['as words without form', (said: string) => answers(503, `<p>${said}</p>`)],
    ['as the place it points to', (said: string) => answers(307, '', { location: `/${encodeURIComponent(said)}` })],
  ])('echoed by an endpoint %s is in no frame, no record and no line of the log', { timeout: 60_000 }, async (_how, echo) => {
    const echoing = Array.from({ length: 6 }, () => echo(`cannot take ${spoken}`))
    const { stream, chatId, runId } = await say('Say something.', echoing)
    script = []
    expect(stream).toContain('REDACTED')
    const told = [stream, await watch(`chat/${chatId}`), await watch(`egress/list?runId=${runId}`), server.log.join('')]
    expect(told.flatMap(findIn)).toEqual([])
  })

  it('is in no export of what left, though paths of files are made of it', { timeout: 60_000 }, async () => {
    for (const secret of Object.values(secrets)) {
      const file = path.join(root, 'found', `${secret}.txt`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, 'here\n')
    }
    const { runId, arrived } = await say('Search.', [callsTool('search_text', { pattern: 'here' }), answersWith('Done.')])
    expect(arrived.flatMap(({ raw }) => findIn(raw.toString()))).toEqual([])
    // The record itself is its person's, and tells the paths as they are: there is something to replace.
    const { requests } = (await ask(`egress/list?runId=${runId}`)) as unknown as { requests: readonly { id: string }[] }
    const kept = await watch(`egress/parts?runId=${runId}&departureId=${requests.at(-1)?.id}`)
    expect(findIn(kept)).toEqual(Object.keys(secrets))
    const { lines } = (await ask(`egress/export?runId=${runId}`)) as unknown as { lines: string }
    expect(findIn(lines)).toEqual([])
    expect(lines.match(/found\/\S{0,6}\[REDACTED:/g)?.length).toBe(Object.keys(secrets).length)
  })

  it('is in no body of a probe, and echoed to one in no word of its result', { timeout: 60_000 }, async () => {
    const before = endpoint.received.length
    // A probe sends its own fixed words under the endpoint's key, so that is what there is to echo.
    const said = `cannot take ${secrets.key} or ${secrets.shaped}`
    script = Array.from({ length: 30 }, () => answers(400, { error: { message: said } }))
    const { probeId } = (await ask(`provider/${place.model.providerId}/probe`, { modelId: 'scripted' })) as unknown as {
      readonly probeId: string
    }
    const frames = await watch(`provider/probe/${probeId}/stream`)
    script = []
    expect(frames).toContain('cannot take [REDACTED:')
    const arrived = endpoint.received.slice(before).map(({ raw }) => raw.toString())
    expect(arrived.length).toBeGreaterThan(0)
    expect([...arrived, frames, server.log.join('')].flatMap(findIn)).toEqual([])
  })
})
