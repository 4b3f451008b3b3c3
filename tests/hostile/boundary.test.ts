/** The boundary over real sockets: requests that no browser and no client library would send, beside the nearest honest one. */
import { connect, type Socket } from 'node:net'
import { defaultLimits } from '@bridlewise/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RawReply, rawRequest, sendRaw } from '../support/raw-http.ts'
import { passphrase, type Session, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let session: Session

beforeAll(async () => {
  server = await startTestServer()
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

const signedIn = () => Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)

async function ask(given: Parameters<typeof rawRequest>[1] = {}): Promise<RawReply> {
  const [first, ...more] = await sendRaw(server.port, rawRequest(server.port, given))
  expect(more, 'one request, one answer').toEqual([])
  if (!first) throw new Error('no answer')
  return first
}

function codeOf(reply: RawReply): string {
  return (JSON.parse(reply.body) as { refusal: { code: string } }).refusal.code
}

it('answers the honest request', async () => {
  expect((await ask()).status).toBe(200)
  expect(await ask({ line: 'HEAD /api/health HTTP/1.1' })).toMatchObject({ status: 200, body: '' })
  expect((await ask({ line: 'GET /api/run/list HTTP/1.1', headers: signedIn() })).status).toBe(200)
})

describe('a foreign Host', () => {
  const places = [
    'GET / HTTP/1.1',
    'GET /assets/index.js HTTP/1.1',
    'GET /api/health HTTP/1.1',
    'GET /api/run/list HTTP/1.1',
    'GET /api/run/x/stream HTTP/1.1',
    'GET /nowhere HTTP/1.1',
    'HEAD / HTTP/1.1',
    'OPTIONS /api/run/start HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'DELETE / HTTP/1.1',
    'PROPFIND / HTTP/1.1',
    'GET /%zz HTTP/1.1',
    'GET http://127.0.0.1/api/health HTTP/1.1',
  ]

  it.each(places)('is refused before anything else: %s', async (line) => {
    const reply = await ask({ line, host: `evil.test:${server.port}`, headers: signedIn() })
    expect(reply.status).toBe(403)
    expect(reply.headers.get('set-cookie')).toBeUndefined()
    if (!line.startsWith('HEAD')) expect(codeOf(reply)).toBe('host_not_allowed')
  })

  it('is refused in the spellings that a parser folds to this machine', async () => {
    const spellings = [
      'localhost.',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '127.0.0.2',
      'foo.localhost',
      'LOCALHOST',
    ]
    for (const name of spellings) expect((await ask({ host: `${name}:${server.port}` })).status, name).toBe(403)
    for (const host of ['127.0.0.1', `127.0.0.1:${server.port + 1}`, '', `127.0.0.1:${server.port}@evil.test`]) {
      expect((await ask({ host })).status, host).toBe(403)
    }
    expect((await ask({ host: `localhost:${server.port}` })).status).toBe(200)
  })

  it('does not come in by another door', async () => {
    expect((await ask({ host: null })).status).toBe(403)
    expect((await ask({ line: 'GET /api/health HTTP/1.0', host: null })).status).toBe(403)
    expect((await ask({ headers: [`Host: 127.0.0.1:${server.port}`] })).status).toBe(403)
    expect((await ask({ headers: ['Host: evil.test'] })).status).toBe(403)
    expect(
      (
        await ask({
          host: 'evil.test',
          headers: [`X-Forwarded-Host: 127.0.0.1:${server.port}`, `Forwarded: host=127.0.0.1:${server.port}`],
        })
      ).status,
    ).toBe(403)
  })

  it('is written down, without the query and without credentials', async () => {
    await ask({ line: 'GET /api/health?secret=canary-7f3 HTTP/1.1', host: 'evil.test', headers: signedIn() })
    const lines = server.log.filter((line) => line.includes('host_not_allowed'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('')).not.toMatch(/canary-7f3|bridlewise_session|evil\.test/)
    expect(lines.join('')).not.toContain(session.token)
  })
})

describe('an odd request', () => {
  it.each([
    ['HTTP/1.0', 'GET /api/health HTTP/1.0', 400],
    ['an absolute target', 'GET http://evil.test/api/health HTTP/1.1', 400],
    ['a doubled slash', 'GET //api/health HTTP/1.1', 400],
    ['an encoded slash', 'GET /api%2fhealth HTTP/1.1', 400],
    ['a broken escape', 'GET /api/%zz HTTP/1.1', 400],
    ['a dot segment', 'GET /api/../api/health HTTP/1.1', 400],
    ['an encoded dot segment', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1', 400],
    ['a path parameter', 'GET /api;a=b/health HTTP/1.1', 400],
    ['a NUL', 'GET /api/health%00 HTTP/1.1', 400],
    ['another case', 'GET /API/health HTTP/1.1', 404],
    ['a trailing slash', 'GET /api/health/ HTTP/1.1', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1', 400],
    ['a preflight', 'OPTIONS /api/run/start HTTP/1.1', 405],
    ['a rare method', 'PROPFIND /api/health HTTP/1.1', 405],
    ['a method override', 'GET /api/account/logout?_method=POST HTTP/1.1', 405],
    ['a path too long to be an id', `GET /api/run/${'a'.repeat(300)} HTTP/1.1`, 404],
    ["a development server's path", 'GET /@fs/etc/passwd?raw HTTP/1.1', 404],
  ])('%s never reaches a handler', async (_what, line, status) => {
    const reply = await ask({ line, headers: signedIn() })
    expect(reply.status).toBe(status)
    expect(reply.headers.get('access-control-allow-origin')).toBeUndefined()
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(reply.body).not.toMatch(/FST_|node_modules|at \w+ \(/)
  })

  it('does not become another one through headers', async () => {
    const headers = [
      'X-HTTP-Method-Override: POST',
      'X-Original-URL: /api/health',
      'X-Rewrite-URL: /api/health',
      'x-middleware-subrequest: 1',
    ]
    expect(codeOf(await ask({ line: 'GET /api/run/list HTTP/1.1', headers }))).toBe('session_missing')
  })

  it('switches no protocol', async () => {
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ]
    const own = `Origin: http://127.0.0.1:${server.port}`
    expect((await ask({ headers: [...upgrade, ...signedIn()] })).status).toBe(403)
    expect((await ask({ headers: [...upgrade, 'Origin: http://evil.test', ...signedIn()] })).status).toBe(403)
    expect((await ask({ headers: [...upgrade, own, ...signedIn()] })).status).toBe(400)
  })
})

describe('two readers of one request', () => {
  const json = ['Content-Type: application/json']
  const start = 'POST /api/account/logout HTTP/1.1'

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['a coding that nobody knows', ['Transfer-Encoding: xchunked']],
    ['a folded header', ['X-Long: a', ' b']],
  ])('%s: one refusal, and the socket closes', async (_what, headers) => {
    const smuggled = rawRequest(server.port, { line: 'GET /api/health HTTP/1.1' })
    const replies = await sendRaw(
      server.port,
      rawRequest(server.port, { line: start, headers: [...json, ...headers], body: `{}${smuggled}` }),
    )
    expect(replies.map(({ status }) => status)).toEqual([400])
    expect(replies[0]?.headers.get('connection')).toBe('close')
  })

  it('credentials that stand there twice are refused', async () => {
    const line = 'GET /api/run/list HTTP/1.1'
    expect((await ask({ line, headers: [...signedIn(), `x-bridlewise-token: ${session.token}`] })).status).toBe(400)
    expect((await ask({ line, headers: [...signedIn(), 'cookie: a=b'] })).status).toBe(400)
    const planted = signedIn().map((header) =>
      header.startsWith('cookie') ? `${header}; bridlewise_session=planted-by-another-port` : header,
    )
    expect((await ask({ line, headers: planted })).status).toBe(400)
    const junk = signedIn().map((header) =>
      header.startsWith('cookie') ? `${header}; ${Array.from({ length: 60 }, (_, i) => `c${i}=x`).join('; ')}` : header,
    )
    expect((await ask({ line, headers: junk })).status).toBe(200)
  })
})

describe('a body', () => {
  const send = (headers: readonly string[], body: string) =>
    ask({ line: 'POST /api/account/login HTTP/1.1', headers: ['Content-Type: application/json', ...headers], body })
  const sized = (body: string) => send([`Content-Length: ${Buffer.byteLength(body)}`], body)

  it('is refused when it is too long, before it has arrived', async () => {
    const reply = await send([`Content-Length: ${500 * 1024 * 1024}`], '{')
    expect(reply.status).toBe(413)
    expect(reply.headers.get('connection')).toBe('close')
  })

  it('is refused when it is sent in endless chunks', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const reply = await send(['Transfer-Encoding: chunked'], chunk.repeat(8))
    expect(reply.status).toBe(413)
  })

  it('is refused when it is nested without end, and taken when it is not', async () => {
    const nested = (levels: number) => `{"username":${'['.repeat(levels)}${']'.repeat(levels)},"password":"x"}`
    expect(codeOf(await sized(nested(20_000)))).toBe('request_malformed')
    expect(codeOf(await sized(nested(10)))).toBe('input_invalid')
  })

  it('is refused when it is compressed', async () => {
    expect(codeOf(await send(['Content-Encoding: gzip', 'Content-Length: 2'], '{}'))).toBe('request_malformed')
  })

  it('is not read behind a GET', async () => {
    expect((await ask({ headers: ['Content-Length: 2'], body: '{}' })).status).toBe(400)
  })

  it('meets no expectation but the usual one', async () => {
    const body = '{"username":"ada"}'
    const length = `Content-Length: ${body.length}`
    expect((await send(['Expect: a miracle', length], body)).status).toBe(400)
    expect(codeOf(await send(['Expect: 100-continue', length], body))).toBe('input_invalid')
  })
})

describe('the headers of every answer', () => {
  it.each([
    ['the cockpit', 'GET / HTTP/1.1'],
    ['an operation', 'GET /api/health HTTP/1.1'],
    ['a refusal', 'GET /api/run/list HTTP/1.1'],
    ['a path that is not there', 'GET /nowhere HTTP/1.1'],
    ['a broken path', 'GET /%zz HTTP/1.1'],
    ['what is no HTTP', 'NONSENSE'],
  ])('%s', async (_what, line) => {
    const { headers } = await ask({ line })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect([...headers.keys()].filter((name) => /^access-control|^strict-transport|^server$|^x-powered/.test(name))).toEqual([])
  })

  it('set a session cookie that scripts, other sites and sub-domains cannot use', async () => {
    const body = JSON.stringify({ username: 'ada', password: passphrase })
    const response = await fetch(`${server.url}/api/account/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^bridlewise_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const secret = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'))
    expect(await response.text()).not.toContain(secret)
  })

  it('leave no cookie that was set before the login in force', async () => {
    const planted = 'A'.repeat(43)
    const body = JSON.stringify({ username: 'ada', password: passphrase })
    const response = await fetch(`${server.url}/api/account/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `bridlewise_session=${planted}` },
      body,
    })
    const { token } = (await response.json()) as { token: string }
    expect(response.headers.getSetCookie()[0]).not.toContain(planted)
    const reuse = await fetch(`${server.url}/api/account/session`, {
      headers: { cookie: `bridlewise_session=${planted}`, 'x-bridlewise-token': token },
    })
    expect(reuse.status).toBe(401)
  })
})

describe('slow and idle sockets', () => {
  it('cost nobody else an answer', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => open(server.port)))
    for (const socket of sockets) socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Slow: `)
    expect((await ask()).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it('are closed when the headers do not arrive', async () => {
    await using impatient = await startTestServer({ limits: { headersMs: 300 } })
    const replies = await new Promise<string>((resolve) => {
      const socket = connect(impatient.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: '))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString()
      })
      socket.on('close', () => resolve(text))
    })
    expect(replies).toContain('400 Bad Request')
    expect(replies).toContain('did not arrive in time')
  })
})

it('limits guesses by the account, whatever the headers claim', async () => {
  // The right code of the setup takes nothing out of it.
  const rates = { ...defaultLimits.rates, secret: { burst: 3, everyMs: 60_000 } }
  await using fresh = await startTestServer({ limits: { rates } })
  await fresh.signIn()
  const guess = (i: number) =>
    fetch(`${fresh.url}/api/account/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.0.0.${i}`,
        'x-real-ip': `10.0.0.${i}`,
        forwarded: `for=10.0.0.${i}`,
      },
      body: '{"username":"ada","password":"wrong"}',
    })
  for (let i = 0; i < 3; i += 1) expect((await guess(i)).status).toBe(401)
  const limited = await guess(4)
  expect(limited.status).toBe(429)
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await fetch(`${fresh.url}/api/health`)).status).toBe(200)
})

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}
