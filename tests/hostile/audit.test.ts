/** What an administrator can read afterwards: every kind of event earned by attack, and nothing secret in any row. */
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { defaultLimits, startServer } from '@bridlewise/server'
import { blocks } from '@bridlewise/shared'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditLimits, recordedOperations } from '../../server/audit/index.ts'
import { call, join } from '../support/people.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

interface Event {
  readonly kind: string
  readonly title: string
  readonly count: number
  readonly who: string | null
  readonly address: string | null
  readonly where: string
}

let server: TestServer
let session: Session

beforeAll(async () => {
  server = await startTestServer()
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

const signedIn = () => Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)

async function events(): Promise<readonly Event[]> {
  const response = await fetch(`${server.url}/api/audit/list?limit=500`, { headers: session.headers })
  return ((await response.json()) as { events: Event[] }).events
}

async function countOf(kind: string, where: string): Promise<number> {
  const rows = (await events()).filter((event) => event.kind === kind && event.where === where)
  return rows.reduce((sum, { count }) => sum + count, 0)
}

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('what is refused at the door', () => {
  const json = 'Content-Type: application/json'
  const login = 'POST /api/account/login HTTP/1.1'

  it.each<[string, string, Parameters<typeof rawRequest>[1]]>([
    ['host_not_allowed', 'GET /api/health', { host: 'evil.test' }],
    ['host_not_allowed', 'GET /%zz', { line: 'GET /%zz HTTP/1.1', host: 'evil.test' }],
    ['origin_not_allowed', 'GET /api/health', { headers: ['Origin: null'] }],
    ['origin_not_allowed', 'GET /api/chat/list', { line: 'GET /api/chat/list HTTP/1.1', headers: ['Sec-Fetch-Site: same-site'] }],
    ['request_malformed', 'GET /api//health', { line: 'GET /api//health HTTP/1.1' }],
    ['request_malformed', 'GET (not a path)', { line: 'GET http://user:pass@evil.test/ HTTP/1.1' }],
    ['request_malformed', '', { line: 'NONSENSE' }],
    ['method_not_allowed', 'DELETE /api/health', { line: 'DELETE /api/health HTTP/1.1' }],
    [
      'content_type_not_json',
      'POST /api/account/login',
      { line: login, headers: ['Content-Type: text/plain', 'Content-Length: 0'] },
    ],
    ['body_too_large', 'POST /api/account/login', { line: login, headers: [json, 'Content-Length: 99999999'], body: '{' }],
    [
      'session_missing',
      'GET /api/chat/list',
      { line: 'GET /api/chat/list HTTP/1.1', headers: ['Authorization: Bearer bw_none'] },
    ],
  ])('%s is recorded for %s, once', async (kind, where, request) => {
    const before = await countOf(kind, where)
    await sendRaw(server.port, rawRequest(server.port, request))
    expect(await countOf(kind, where)).toBe(before + 1)
  })

  it('is recorded of a caller who hangs up before the answer', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.end(rawRequest(server.port, { line: 'GET /hit-and-run HTTP/1.1', host: 'evil.test' }))
    socket.on('connect', () => socket.resume().destroySoon())
    await new Promise((resolve) => socket.once('close', resolve))
    await expect.poll(() => countOf('host_not_allowed', 'GET /hit-and-run')).toBe(1)
  })

  it('is no event when a page without credentials asks whether somebody is signed in', async () => {
    await fetch(`${server.url}/api/account/session`)
    await fetch(`${server.url}/api/health`)
    expect(await countOf('session_missing', 'GET /api/account/session')).toBe(0)
    expect((await events()).filter(({ where }) => where.endsWith('/api/audit/list'))).toEqual([])
  })

  it('is one row with a count, however often it happens', async () => {
    const ask = rawRequest(server.port, { line: 'GET /flood HTTP/1.1', host: 'evil.test' })
    for (let i = 0; i < 50; i += 1) await sendRaw(server.port, ask)
    const rows = (await events()).filter(({ where }) => where === 'GET /flood')
    expect(rows.length).toBeLessThanOrEqual(2)
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(50)
  })

  it('takes a bounded number of rows, however many places it names', async () => {
    const many = 3 * auditLimits.placesPerKind
    for (let i = 0; i < many; i += 1) await sendRaw(server.port, rawRequest(server.port, { line: `PUT /many-${i} HTTP/1.1` }))
    const rows = (await events()).filter(({ kind }) => kind === 'method_not_allowed')
    expect(rows.length).toBeLessThanOrEqual(2 * (auditLimits.placesPerKind + 1))
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(many)
    expect(rows.map(({ where }) => where)).toContain('(other places)')
  })
})

describe('accounts', () => {
  it('leave their sign-ins, failed and not, their sign-outs and their tokens', async () => {
    expect((await events()).find(({ kind }) => kind === 'set_up')).toMatchObject({ who: 'ada', address: '127.0.0.1' })
    const fresh = await server.signIn()
    await post('/api/account/login', { username: 'ada', password: 'not the passphrase' })
    await fetch(`${server.url}/api/account/session`, { headers: { cookie: fresh.cookie } })
    const made = (await (await post('/api/account/token/create', { name: 'ci' }, fresh.headers)).json()) as {
      token: { id: string }
    }
    await post(`/api/account/token/${made.token.id}/revoke`, {}, fresh.headers)
    await post('/api/account/logout', {}, fresh.headers)
    const kinds = new Map((await events()).map((event) => [event.kind, event]))
    expect(kinds.get('signed_in')).toMatchObject({ who: 'ada' })
    expect(kinds.get('credentials_wrong')).toMatchObject({ who: null })
    expect(kinds.get('token_missing')).toMatchObject({ who: null })
    expect(kinds.get('token_made')).toMatchObject({ who: 'ada' })
    expect(kinds.get('token_revoked')).toMatchObject({ who: 'ada' })
    expect(kinds.get('signed_out')).toMatchObject({ who: 'ada' })
  })

  it('are recorded by operations that exist', () => {
    const names = blocks.flatMap((block) => Object.keys(block.operations).map((name) => `${block.id}.${name}`))
    expect(names).toEqual(expect.arrayContaining([...recordedOperations]))
  })
})

describe('a row', () => {
  it('holds no secret that was sent, nor does any file beside the database or the log', async () => {
    const canary = `canary${crypto.randomUUID().replaceAll('-', '')}`
    await post('/api/account/login', { username: canary, password: canary })
    const headers = [
      `Cookie: bridlewise_session=${canary}`,
      `x-bridlewise-token: ${canary}`,
      `Authorization: Bearer bw_${canary}`,
    ]
    await sendRaw(server.port, rawRequest(server.port, { line: `GET /api/run/list?q=${canary} HTTP/1.1`, headers }))
    await sendRaw(server.port, rawRequest(server.port, { line: `GET /?q=${canary} HTTP/1.1`, host: canary, headers: signedIn() }))
    await sendRaw(server.port, rawRequest(server.port, { line: `GET http://x:${canary}@evil.test/ HTTP/1.1` }))
    const told = JSON.stringify(await events())
    expect(told).not.toContain(canary)
    expect(told).not.toContain(session.token)
    expect(server.log.filter((line) => line.includes(canary))).toEqual([])
  })

  it('lies sealed on the disk', async () => {
    const canary = `sealed${crypto.randomUUID().slice(0, 8)}`
    await sendRaw(server.port, rawRequest(server.port, { line: `GET /${canary} HTTP/1.1`, host: 'evil.test' }))
    expect(JSON.stringify(await events())).toContain(canary)
    const home = server.config.homes.data
    const files = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.filter(({ name }) => readFileSync(path.join(home, name)).includes(canary))).toEqual([])
  })

  it('is one line of plain characters, whatever was sent', async () => {
    const forged = 'GET /a\u009b31m\u00ff HTTP/1.1'
    await sendRaw(server.port, rawRequest(server.port, { line: forged }))
    for (const { where } of await events()) expect(where).toMatch(/^[\x20-\x7e]*$/)
  })
})

it('survives a stop, and tells of it', async () => {
  await using first = await startTestServer()
  await first.signIn()
  await first.running.close()
  const again = await startServer(first.config, { replies: 'checked', log: { level: 'fatal', stream: { write: () => true } } })
  if (!again.ok) throw new Error(again.refusal.message)
  await using running = again.value
  const signIn = await fetch(`${running.url}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: 'a long enough passphrase' }),
  })
  const { token } = (await signIn.json()) as { token: string }
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const list = await fetch(`${running.url}/api/audit/list`, { headers: { cookie, 'x-bridlewise-token': token } })
  const kinds = ((await list.json()) as { events: Event[] }).events.map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['server_started', 'server_stopped', 'set_up', 'signed_in']))
  expect(kinds.indexOf('server_stopped')).toBeGreaterThan(kinds.indexOf('server_started'))
})

it('names a sealed value that was changed from outside, in a reply and in a stream', async () => {
  await using own = await startTestServer({ environment: { HARNESS_WEB_LLM_FIXTURES: '1' } })
  const { headers } = await own.signIn()
  const ask = async (url: string, body?: unknown) => {
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return fetch(`${own.url}${url}`, body === undefined ? { headers } : sent)
  }
  const made = await ask('/api/provider/create', { name: 'x', kind: 'demo', baseUrl: 'http://127.0.0.1:9/v1', models: ['demo'] })
  const { provider } = (await made.json()) as { provider: { id: string } }
  const started = await ask('/api/run/start', { prompt: 'hello', model: { providerId: provider.id, modelId: 'demo' } })
  const { run } = (await started.json()) as { run: { id: string } }
  await (await ask(`/api/run/${run.id}/stream`)).text()
  const database = new Sqlite(path.join(own.config.homes.data, 'bridlewise.db'))
  database.exec('UPDATE chats SET title = zeroblob(80); UPDATE frames SET data = zeroblob(80)')
  database.close()
  expect((await ask('/api/chat/list')).status).toBe(500)
  await (await ask(`/api/run/${run.id}/stream`)).text().catch(() => undefined)
  const wheres = async () => {
    const list = (await (await ask('/api/audit/list')).json()) as { events: Event[] }
    return list.events.filter(({ kind }) => kind === 'sealed_value_tampered').map(({ where, who }) => [where, who])
  }
  await expect.poll(wheres).toEqual(
    expect.arrayContaining([
      ['GET /api/chat/list', 'ada'],
      [`GET /api/run/${run.id}/stream`, 'ada'],
    ]),
  )
})

it('shows the record to administrators alone, and records that somebody else asked', async () => {
  await using own = await startTestServer()
  const admin = await own.signIn()
  const member = await join(own, admin, { username: 'bob' })
  const refused = await call(own, 'audit/list', member)
  expect([refused.status, refused.body.refusal?.code]).toEqual([403, 'access_denied'])
  const { body } = await call(own, 'audit/list', admin)
  const rows = (body['events'] as Event[]).map(({ kind, who }) => [kind, who])
  expect(rows).toEqual(
    expect.arrayContaining([
      ['access_denied', 'bob'],
      ['invite_made', 'ada'],
      ['invite_accepted', 'bob'],
    ]),
  )
})

it('records guesses that came too fast', async () => {
  const rates = { ...defaultLimits.rates, secret: { burst: 1, everyMs: 60_000 } }
  await using own = await startTestServer({ limits: { rates } })
  const admin = await own.signIn()
  const guess = () => call(own, 'account/login', { input: { username: 'ada', password: 'a wrong one' } })
  expect([(await guess()).status, (await guess()).status]).toEqual([401, 429])
  const { body } = await call(own, 'audit/list', admin)
  expect((body['events'] as Event[]).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['credentials_wrong', 'rate_limited']),
  )
})
