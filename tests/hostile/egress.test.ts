/** What leaves for a model, told from what arrived there: nothing that is not on record, nothing that a rule keeps here. */
import { hash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { SentHit } from '@bridlewise/shared'
import type { Departure, EgressPart, EgressRule } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { call } from '../support/people.ts'
import { answersWith, callsTool, type Step } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

interface Desk extends AsyncDisposable {
  readonly server: TestServer
  readonly endpoint: ScriptedEndpoint
  readonly headers: Readonly<Record<string, string>>
  readonly project: { readonly id: string; readonly root: string }
  post(operation: string, input: object): Promise<Record<string, never>>
  get(operation: string): Promise<Record<string, never>>
  rule(rule: EgressRule): Promise<unknown>
  /** Run to its end; gives the run and its last event. */
  run(prompt: string, chatId?: string): Promise<{ readonly id: string; readonly chatId: string; readonly stream: string }>
  requests(runId: string): Promise<readonly Departure[]>
  parts(request: Departure): Promise<readonly EgressPart[]>
  find(question: object): Promise<readonly SentHit[]>
}

/** A server with a project of the given files, and an endpoint that answers with these steps. */
async function openDesk(steps: readonly Step[], files: Readonly<Record<string, string>>): Promise<Desk> {
  const root = mkdtempSync(path.join(tmpdir(), 'bridlewise-egress-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  const endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: [...steps] })
  const server = await startTestServer()
  const { headers } = await server.signIn()
  const ask = async (operation: string, more: object) => {
    const { status, body } = await call(server, operation, { headers, ...more })
    expect([operation, status < 300, body.refusal?.message]).toEqual([operation, true, undefined])
    return body as Record<string, never>
  }
  const post = (operation: string, input: object) => ask(operation, { input })
  const get = (operation: string) => ask(operation, {})
  const provider = { name: 'p', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
  const { provider: made } = (await post('provider/create', provider)) as unknown as { provider: { id: string } }
  const { project } = (await post('project/create', { name: 'app', path: root })) as unknown as { project: { id: string } }
  return {
    server,
    endpoint,
    headers,
    project: { id: project.id, root },
    post,
    get,
    rule: (rule) => post('egress/addRule', { projectId: project.id, rule }),
    async run(prompt, chatId) {
      const place = chatId === undefined ? { projectId: project.id } : { chatId }
      const model = { providerId: made.id, modelId: 'scripted' }
      const { run } = (await post('run/start', { prompt, ...place, model })) as unknown as { run: { id: string; chatId: string } }
      const stream = await fetch(`${server.url}/api/run/${run.id}/stream`, { headers }).then((answer) => answer.text())
      expect(stream).toContain('event: ended')
      return { ...run, stream }
    },
    requests: async (runId) => (await get(`egress/list?runId=${runId}`))['requests'] ?? [],
    parts: async ({ runId, id }) => (await get(`egress/parts?runId=${runId}&departureId=${id}`))['parts'] ?? [],
    find: async (question) => (await post('egress/find', { question }))['hits'] ?? [],
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await endpoint.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const random = () => randomBytes(12).toString('hex')

it('is on record before it leaves, part by part, and adds up to the bytes that arrived', { timeout: 60_000 }, async () => {
  const notes = `one\ntwo ${random()} "quoted" – überall\nthree\n`
  const steps = [callsTool('read_file', { path: 'notes.txt' }), callsTool('search_text', { pattern: 'o' }), answersWith('Read.')]
  await using desk = await openDesk(steps, { 'notes.txt': notes, 'src/other.txt': 'so\nno\n\nyes\n' })
  const run = await desk.run('Read the notes.')
  const requests = await desk.requests(run.id)
  expect(desk.endpoint.problems).toEqual([])
  expect(requests.map(({ egress }) => [egress.bytes, egress.digest])).toEqual(
    desk.endpoint.received.map(({ raw }) => [raw.length, hash('sha256', raw)]),
  )
  for (const request of requests) {
    const parts = await desk.parts(request)
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(request.egress.bytes)
    // What is framing is the body without its texts: a text that was overlooked would stand in it.
    expect(parts.at(-1)?.bytes).toBeLessThan(1800)
  }
  const last = requests.at(-1)
  if (!last) throw new Error('nothing left')
  const results = (await desk.parts(last)).filter(({ kind }) => kind === 'result')
  expect(results.map(({ tool, files }) => [tool, files])).toEqual([
    ['read_file', [{ path: 'notes.txt', lines: [[1, 3]], digest: hash('sha256', notes) }]],
    [
      'search_text',
      [
        { path: 'notes.txt', lines: [[1, 2]], digest: null },
        { path: 'src/other.txt', lines: [[1, 2]], digest: null },
      ],
    ],
  ])
})

it('is found again by its words, its file and its digest, and what never left is not', { timeout: 60_000 }, async () => {
  const [sent, unsent] = [random(), random()]
  const notes = `first\n${sent}\n`
  const steps = [callsTool('read_file', { path: 'docs/notes.txt' }), answersWith('Read.')]
  await using desk = await openDesk(steps, { 'docs/notes.txt': notes, 'other.txt': unsent })
  const run = await desk.run('Read them.')
  const second = (await desk.requests(run.id))[1]
  const of = (hits: readonly SentHit[]) => hits.map(({ departure, parts }) => [departure.id, parts.map(({ kind }) => kind)])
  const found = [[second?.id, ['result']]]
  expect(of(await desk.find({ by: 'text', text: sent }))).toEqual(found)
  expect(of(await desk.find({ by: 'text', text: sent.slice(3, 9) }))).toEqual(found)
  expect(of(await desk.find({ by: 'path', path: 'docs' }))).toEqual(found)
  expect(of(await desk.find({ by: 'digest', digest: hash('sha256', notes) }))).toEqual(found)
  expect(of(await desk.find({ by: 'digest', digest: second?.egress.digest }))).toEqual([[second?.id, []]])
  for (const question of [
    { by: 'text', text: unsent },
    { by: 'path', path: 'other.txt' },
    { by: 'digest', digest: hash('sha256', unsent) },
  ]) {
    expect([question.by, await desk.find(question)]).toEqual([question.by, []])
  }
})

it('holds no word of a file that a rule keeps, whichever way a run asks for it', { timeout: 90_000 }, async () => {
  const [value, allowed] = [random(), random()]
  const line = `SERVICE_TOKEN=${value}`
  const files = {
    '.env': `# settings\n${line}\n`,
    'config/deep/.env': `${line}\n`,
    'open.txt': `${allowed}\n`,
    '.gitignore': 'config/\n',
  }
  const steps = [
    callsTool('read_file', { path: '.env' }),
    callsTool('search_text', { pattern: 'SERVICE' }),
    callsTool('edit', { edits: [{ path: '.env', old: 'SERVICE', new: 'X' }] }),
    callsTool('execute_command', { command: 'cat .env config/deep/.env open.txt; grep -rn SERVICE . ; cut -d= -f2 .env' }),
    callsTool('read_file', { path: 'open.txt' }),
    answersWith('That is all.'),
  ]
  await using desk = await openDesk(steps, files)
  await desk.rule({ kind: 'class', name: 'environment' })
  const run = await desk.run('Look around.')
  expect(desk.endpoint.problems).toEqual([])
  expect(desk.endpoint.received).toHaveLength(steps.length)
  for (const { raw } of desk.endpoint.received) expect(raw.toString()).not.toContain(value)
  const last = desk.endpoint.received.at(-1)?.raw.toString() ?? ''
  expect(last).toContain(allowed)
  expect(last).toContain('kept from every model by the rule environment files')
  expect(last).toContain('[Kept back by the rule: environment files]')
  const requests = await desk.requests(run.id)
  expect(requests.at(-1)?.egress.withheld).toEqual({ 'environment files': 1 })
  expect(await desk.find({ by: 'text', text: value })).toEqual([])
  expect(run.stream).toContain('path_withheld')
})

it('keeps back what an earlier run had read, once there is a rule', { timeout: 60_000 }, async () => {
  const secret = `${random()} of the plan`
  const steps = [callsTool('read_file', { path: 'plan.txt' }), answersWith('Read.'), answersWith('Still there?')]
  await using desk = await openDesk(steps, { 'plan.txt': `${secret}\n` })
  const { chatId } = await desk.run('Read the plan.')
  expect(desk.endpoint.received[1]?.raw.toString()).toContain(secret)
  await desk.rule({ kind: 'path', pattern: 'plan.txt' })
  await desk.run('And now?', chatId)
  const after = desk.endpoint.received[2]?.raw.toString() ?? ''
  expect(after).toContain('[Kept back by the rule: plan.txt]')
  expect(after).not.toContain(secret)
})

it('says beforehand which files a rule would keep, and what of a text, and keeps nothing by that', {
  timeout: 60_000,
}, async () => {
  const value = `to ${random()} and back`
  await using desk = await openDesk([callsTool('read_file', { path: 'deep/.env' }), answersWith('Read.')], {
    'deep/.env': `ROUTE=${value}\n`,
    '.env.example': 'ROUTE=\n',
  })
  const projectId = desk.project.id
  const trial = (rule: EgressRule) => desk.post('egress/tryRule', { projectId, rule, text: `printed: ${value}, and more` })
  expect(await trial({ kind: 'class', name: 'environment' })).toEqual({
    files: ['deep/.env'],
    total: 1,
    complete: true,
    text: 'printed: [Kept back by the rule: environment files], and more',
  })
  expect(await trial({ kind: 'path', pattern: 'other' })).toMatchObject({ files: [], text: `printed: ${value}, and more` })
  await desk.run('Read it.')
  expect(desk.endpoint.received[1]?.raw.toString()).toContain(value)
})

it('names the files of instructions, and how much of which part was replaced', { timeout: 60_000 }, async () => {
  const key = `sk-${random()}${random()}`
  const rules = 'Be brief.\n'
  const steps = [callsTool('read_file', { path: 'src/key.txt' }), answersWith('Read.')]
  await using desk = await openDesk(steps, { 'AGENTS.md': rules, 'src/AGENTS.md': 'Be exact.\n', 'src/key.txt': `${key}\n` })
  const run = await desk.run('Read it.')
  const last = (await desk.requests(run.id)).at(-1)
  if (!last) throw new Error('nothing left')
  const parts = await desk.parts(last)
  expect(parts.find(({ kind }) => kind === 'instructions')?.files).toEqual([
    { path: 'AGENTS.md', lines: [[1, 1]], digest: hash('sha256', rules) },
  ])
  const result = parts.find(({ kind }) => kind === 'result')
  expect(result?.files.map(({ path: name }) => name)).toEqual(['src/key.txt', 'src/AGENTS.md'])
  const replaced = parts.filter(({ redactions }) => Object.keys(redactions ?? {}).length > 0)
  expect(replaced.map(({ kind, redactions }) => [kind, redactions])).toEqual([['result', last.egress.redactions]])
})

it('holds requests for a summary too, told from answers', { timeout: 60_000 }, async () => {
  await using desk = await openDesk(
    [answersWith('Long ago. '.repeat(2000)), answersWith('The end.'), answersWith('They talked.')],
    {},
  )
  const { chatId } = await desk.run('Tell me a story.')
  await desk.run('And then?', chatId)
  const { run } = (await desk.post(`context/${chatId}/compact`, {})) as unknown as { run: { id: string } }
  await fetch(`${desk.server.url}/api/run/${run.id}/stream`, { headers: desk.headers }).then((answer) => answer.text())
  const recent = (await desk.get(`egress/recent?projectId=${desk.project.id}`))['requests'] as unknown as Departure[]
  expect(recent.map(({ purpose, runId }) => [purpose, runId === run.id])).toEqual([
    ['summary', true],
    ['answer', false],
    ['answer', false],
  ])
  expect(recent[0]?.egress.digest).toBe(hash('sha256', desk.endpoint.received[2]?.raw ?? ''))
})

it("keeps back a tool's answers by a rule about the tool, and no other's", { timeout: 60_000 }, async () => {
  const [told, read] = [random(), random()]
  const steps = [
    callsTool('execute_command', { command: `echo ${told}-printed | tr a-z A-Z` }),
    callsTool('read_file', { path: 'open.txt' }),
    answersWith('Done.'),
  ]
  await using desk = await openDesk(steps, { 'open.txt': read })
  await desk.rule({ kind: 'tool', tool: 'execute_command' })
  await desk.run('Try both.')
  const last = desk.endpoint.received.at(-1)?.raw.toString() ?? ''
  expect(last).not.toContain('PRINTED')
  expect(last).toContain('[Kept back by the rule: answers of execute_command]')
  expect(last).toContain(read)
})

it("sends nothing when the person's own message holds what a rule keeps, and says which rule", { timeout: 60_000 }, async () => {
  const value = random()
  await using desk = await openDesk([answersWith('Hello.')], { '.env': `TOKEN=${value}\n` })
  await desk.rule({ kind: 'class', name: 'environment' })
  const held = await desk.run(`Use TOKEN=${value} please.`)
  expect(desk.endpoint.received).toEqual([])
  expect(held.stream).toContain('egress_withheld')
  expect(held.stream).toContain('environment files')
  expect(await desk.requests(held.id)).toEqual([])
  await desk.run('Use the token please.')
  expect(desk.endpoint.received).toHaveLength(1)
})

it('is exported as lines that hold no secret, whichever path or address had one', { timeout: 60_000 }, async () => {
  const key = `sk-${random()}${random()}`
  const steps = [callsTool('search_text', { pattern: 'here' }), answersWith('Done.')]
  await using desk = await openDesk(steps, { [`${key}.txt`]: 'here\n' })
  const run = await desk.run('Search.')
  const { lines } = (await desk.get(`egress/export?runId=${run.id}`)) as unknown as { lines: string }
  const [head, ...requests] = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Departure & { parts: EgressPart[] })
  expect(head).toEqual({ format: 'bridlewise-egress/1', runId: run.id, requests: 2 })
  expect(requests.map(({ egress }) => egress.digest)).toEqual(desk.endpoint.received.map(({ raw }) => hash('sha256', raw)))
  expect(lines).not.toContain(key)
  expect(requests.at(-1)?.parts.flatMap(({ files }) => files)).toHaveLength(1)
})
