/** Who may call what, walked over the whole table of operations. */
import { type Block, blocks, type Operation, operationPath } from '@bridlewise/shared'
import { isRefusalCode } from '@bridlewise/shared/refusals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

/** Everything that answers without credentials. A new entry here is a decision about security. */
const publicOperations = [
  'health.get',
  'lock.status',
  'lock.unlock',
  'account.status',
  'account.setup',
  'account.login',
  'account.acceptInvite',
  'account.redeemReset',
]

interface Entry {
  readonly label: string
  readonly operation: Operation
  readonly path: string
}

const table: Entry[] = blocks.flatMap((block: Block) =>
  Object.entries(block.operations).map(([name, operation]) => ({
    label: `${block.id}.${name}`,
    operation,
    path: operationPath(block, operation).replaceAll(/:[A-Za-z]+/g, 'nothing_here'),
  })),
)
const guarded: Entry[] = [
  ...table.filter(({ operation }) => operation.access !== 'public'),
  { label: 'the OpenAPI document', path: '/api/openapi.json', operation: { method: 'GET' } as Operation },
  { label: 'an unknown path', path: '/api/nothing/here', operation: { method: 'GET' } as Operation },
  { label: 'an unknown command', path: '/api/nothing/here', operation: { method: 'POST' } as Operation },
]

let server: TestServer
let session: Session

beforeAll(async () => {
  server = await startTestServer()
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

async function call(entry: Entry, headers: Readonly<Record<string, string>>) {
  const { method } = entry.operation
  const response = await fetch(`${server.url}${entry.path}`, {
    method,
    headers: { ...(method === 'POST' ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(method === 'POST' ? { body: '{}' } : {}),
  })
  const body = (await response.json()) as { refusal?: { code: string } }
  return { status: response.status, code: body.refusal?.code ?? null }
}

it('opens exactly the operations of the short list', () => {
  expect(table.filter(({ operation }) => operation.access === 'public').map(({ label }) => label)).toEqual(publicOperations)
})

describe.each(guarded)('$label', (entry) => {
  it.each([
    ['nothing', () => ({})],
    ['the token header alone', () => ({ 'x-bridlewise-token': session.token })],
    ['the cookie alone', () => ({ cookie: session.cookie })],
    [
      'the cookie and a wrong token',
      () => ({ cookie: session.cookie, 'x-bridlewise-token': session.token.replaceAll(/./g, 'A') }),
    ],
    ['an unknown access token', () => ({ authorization: `Bearer ${session.token}` })],
  ])('answers 401 to %s', async (_what, headers) => {
    const { status, code } = await call(entry, headers())
    expect(status).toBe(401)
    expect(['session_missing', 'token_missing']).toContain(code)
  })

  it.each([
    ['a foreign Origin', { origin: 'http://evil.test' }],
    ['the Origin "null"', { origin: 'null' }],
    ['the Origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['a same-site page', { 'sec-fetch-site': 'same-site' }],
    ['a cross-site page', { 'sec-fetch-site': 'cross-site' }],
  ])('answers 403 to %s, whatever credentials came along', async (_what, headers) => {
    expect(await call(entry, { ...session.headers, ...headers })).toEqual({ status: 403, code: 'origin_not_allowed' })
  })
})

describe.each(table.filter(({ operation }) => operation.kind === 'command'))('$label', (entry) => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; x=text/plain'])(
    'takes no body of type %s',
    async (type) => {
      const answer = await call(entry, { ...session.headers, 'content-type': type })
      expect(answer).toEqual({ status: 415, code: 'content_type_not_json' })
    },
  )
})

it('lets the signed-in user through where it refused everybody else', async () => {
  const answers = await Promise.all(
    guarded.filter(({ operation }) => operation.kind === 'query').map((entry) => call(entry, session.headers)),
  )
  expect(answers.length).toBeGreaterThan(8)
  for (const { status, code } of answers) {
    expect([200, 400, 404]).toContain(status)
    if (code !== null) expect(isRefusalCode(code)).toBe(true)
  }
})

it.each(table)('$label is answered under its own method only', async ({ operation, path }) => {
  const taken = operation.kind === 'query' ? ['GET', 'HEAD'] : [operation.method]
  const sharing = table
    .filter((other) => other.path === path)
    .flatMap((other) => (other.operation.kind === 'query' ? ['GET', 'HEAD'] : [other.operation.method]))
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    if (taken.includes(method) || sharing.includes(method)) continue
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...session.headers, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    expect(response.status, method).toBe(405)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

it.each([
  ['no type', {}],
  ['the type that other calls have', { 'content-type': 'application/json' }],
])('takes a POST without a body and with %s as one without input', async (_what, headers) => {
  const post = (path: string) => fetch(`${server.url}${path}`, { method: 'POST', headers: { ...session.headers, ...headers } })
  expect((await post('/api/timeline/verify')).status).toBe(200)
  expect((await post('/api/run/run_0/cancel')).status).toBe(404)
  const lacking = await post('/api/project/create')
  expect(lacking.status).toBe(400)
  expect(await lacking.json()).toMatchObject({ refusal: { code: 'input_invalid', details: { path: 'name' } } })
})
