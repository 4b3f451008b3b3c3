/** RED: what a person has replaced besides leaves by no way, is theirs alone, and cannot make the server slow. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answer, call, enter, join, type Person } from '../support/people.ts'
import { answersWith } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

/** Looks like nothing that a format knows. */
const word = `Heron ${randomBytes(5).toString('hex')}`
const ticket = `CASE-${randomBytes(4).readUInt32BE().toString().padStart(10, '0')}`
const both = `About ${word} in ${ticket}, or ${Buffer.from(word).toString('base64')}, see CASE-7.`
const open = { burst: 1000, everyMs: 1 }

let server: TestServer
let endpoint: ScriptedEndpoint
let ada: Person
let bob: Person

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ models: ['scripted'], steps: () => answersWith('Noted.') })
  server = await startTestServer({ limits: { rates: { light: open, normal: open, costly: open, secret: open } } })
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
  bob = await join(server, ada, { username: 'bob' })
  await create(ada, { name: 'the project', kind: 'text', value: word })
  await create(ada, { name: 'tickets', kind: 'pattern', value: 'CASE-\\d{10}' })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
})

const ask = (who: Person, operation: string, input?: object): Promise<Answer> =>
  call(server, operation, { headers: who.headers, ...(input ? { input } : {}) })

async function create(who: Person, input: object): Promise<{ readonly id: string }> {
  const { status, body } = await ask(who, 'redaction/create', input)
  expect([status, body.refusal]).toEqual([200, undefined])
  return body['redaction'] as { id: string }
}

/** What arrives when somebody says something, and the record of it. */
async function say(who: Person, prompt: string): Promise<{ readonly arrived: string; readonly lines: string }> {
  const before = endpoint.received.length
  const given = { name: 'p', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
  const { body: made } = await ask(who, 'provider/create', given)
  const { id: providerId } = made['provider'] as { id: string }
  const { body } = await ask(who, 'run/start', { prompt, model: { providerId, modelId: 'scripted' } })
  const { id } = body['run'] as { id: string }
  const stream = await fetch(`${server.url}/api/run/${id}/stream`, { headers: who.headers }).then((answer) => answer.text())
  expect(stream).toContain('event: ended')
  const { body: exported } = await ask(who, `egress/export?runId=${id}`)
  const arrived = endpoint.received
    .slice(before)
    .map(({ raw }) => raw.toString())
    .join('\n')
  return { arrived, lines: String(exported['lines']) }
}

it('leaves by no request, in a short text and in a long one, and is counted', { timeout: 30_000 }, async () => {
  for (const prompt of [both, `${'ordinary words\n'.repeat(1200)}${both}`]) {
    const { arrived, lines } = await say(ada, prompt)
    for (const secret of [word, ticket, Buffer.from(word).toString('base64')]) expect(arrived).not.toContain(secret)
    expect(arrived).toContain('see CASE-7.')
    expect(lines).toContain('"own_pattern":1,"own_text":2')
  }
})

it('is theirs alone: somebody else neither sees it, nor is kept from the same words, nor removes it', async () => {
  expect((await ask(bob, 'redaction/list')).body).toEqual({ redactions: [] })
  expect((await say(bob, both)).arrived).toContain(word)
  const [first] = (await ask(ada, 'redaction/list')).body['redactions'] as { id: string }[]
  expect((await ask(bob, 'redaction/remove', { redactionId: first?.id })).body.refusal?.code).toBe('thing_unknown')
  expect((await ask(ada, 'redaction/list')).body['redactions']).toHaveLength(2)
})

it('leaves again once it is removed, and not before', async () => {
  const passing = `Passing ${randomBytes(5).toString('hex')}`
  const { id } = await create(ada, { name: 'for a day', kind: 'text', value: passing })
  expect((await say(ada, passing)).arrived).not.toContain(passing)
  expect((await ask(ada, 'redaction/remove', { redactionId: id })).status).toBe(200)
  expect((await say(ada, passing)).arrived).toContain(passing)
})

it.each([
  ['(a+)+$', 'no groups'],
  ['aaa.*b', 'how often at most'],
  ['aaa\\w{0,200}\\w{0,200}b', 'narrower'],
  ['aaa(?=b)', 'no groups'],
])('as the pattern %s is refused at saving and at trying, with the reason', async (value, reason) => {
  const rule = { kind: 'pattern', value }
  for (const [operation, input] of [
    ['redaction/create', { name: 'x', ...rule }],
    ['redaction/try', { text: 'a'.repeat(20_000), rule }],
  ] as const) {
    const { status, body } = await ask(ada, operation, input)
    expect([status, body.refusal?.code]).toEqual([400, 'redaction_invalid'])
    expect(body.refusal?.message).toContain(reason)
  }
})

it('is tried with a text before it holds, and a stored key is not told by it', async () => {
  const key = `plain/words+${randomBytes(12).toString('hex')}`
  await ask(ada, 'provider/create', { name: 'k', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['m'], apiKey: key })
  const tried = await ask(ada, 'redaction/try', { text: `${both} ORD-99 ${key}`, rule: { kind: 'pattern', value: 'ORD-\\d{2}' } })
  expect(tried.body['counts']).toEqual({ own_text: 2, own_pattern: 2 })
  expect(tried.body['text']).toContain(`see CASE-7. [REDACTED:own_pattern:`)
  expect(tried.body['text']).toContain(key)
})

it("stands for a stored key of its owner's alone, so that nobody tells another's by what is replaced", async () => {
  const key = `plain/words+${randomBytes(12).toString('hex')}`
  await ask(bob, 'provider/create', { name: 'k', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['m'], apiKey: key })
  expect((await say(bob, `mine is ${key}`)).arrived).not.toContain(key)
  expect((await say(ada, `is it ${key}`)).arrived).toContain(key)
})

it('is one of at most fifty', async () => {
  for (let count = 0; count < 50; count += 1)
    await create(bob, { name: `n${count}`, kind: 'text', value: `word number ${count}` })
  const over = await ask(bob, 'redaction/create', { name: 'one more', kind: 'text', value: 'one more word' })
  expect([over.status, over.body.refusal?.code]).toEqual([409, 'redactions_full'])
})
