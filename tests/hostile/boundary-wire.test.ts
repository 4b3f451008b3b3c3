/** HTTP as an attacker writes it: framing, pipelining, spellings, bombs and patience, each beside the nearest honest request. */
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { defaultLimits } from '@bridlewise/server'
import { account, run } from '@bridlewise/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RawReply, rawRequest, sendRaw } from '../support/raw-http.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let session: Session

beforeAll(async () => {
  server = await startTestServer()
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

const json = 'Content-Type: application/json'
const signedIn = () => Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)
const makeToken = 'POST /api/account/token/create HTTP/1.1'

const send = (given: Parameters<typeof rawRequest>[1]) => sendRaw(server.port, rawRequest(server.port, given))

async function tokens(): Promise<number> {
  const response = await fetch(`${server.url}/api/account/token/list`, { headers: session.headers })
  return ((await response.json()) as { tokens: unknown[] }).tokens.length
}

function codeOf(reply: RawReply | undefined): string {
  return (JSON.parse(reply?.body ?? '{}') as { refusal?: { code: string } }).refusal?.code ?? 'none'
}

describe('framing that two readers could read differently', () => {
  const body = '{"name":"smuggled"}'
  const length = `Content-Length: ${body.length}`

  it.each<[string, string[], string]>([
    ['a length with a sign', [`Content-Length: +${body.length}`], body],
    ['a negative length', ['Content-Length: -1'], body],
    ['a length in hexadecimal', ['Content-Length: 0x13'], body],
    ['a list of lengths', [`Content-Length: ${body.length}, ${body.length}`], body],
    ['a length twice, the same', [length, length], body],
    ['chunks announced twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], `13\r\n${body}\r\n0\r\n\r\n`],
    ['chunks before another coding', ['Transfer-Encoding: chunked, identity'], `13\r\n${body}\r\n0\r\n\r\n`],
    ['gzip before chunks', ['Transfer-Encoding: gzip, chunked'], `13\r\n${body}\r\n0\r\n\r\n`],
    ['a blank before the colon', ['Transfer-Encoding : chunked', length], body],
    ['a length and chunks, in this order', [length, 'Transfer-Encoding: chunked'], `13\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk that is no number', ['Transfer-Encoding: chunked'], `zz\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk longer than it says', ['Transfer-Encoding: chunked'], `4\r\n${body}\r\n0\r\n\r\n`],
    ['a NUL in a header', ['X-Nul: a\u0000b', length], body],
    ['a carriage return alone', [`X-Split: a\r${length}`, length], body],
  ])('%s: at most one no, no effect, and the connection ends', async (_what, headers, sent) => {
    const before = await tokens()
    const behind = rawRequest(server.port, { line: makeToken, headers: [...signedIn(), json, length], body })
    const replies = await send({ line: makeToken, headers: [...signedIn(), json, ...headers], body: sent + behind })
    expect(replies.map(({ status }) => status)).toEqual([400])
    expect(replies[0]?.headers.get('connection')).toBe('close')
    expect(await tokens()).toBe(before)
  })

  it('answers a request at a time: one that comes before its turn has no effect', async () => {
    const before = await tokens()
    const first = rawRequest(server.port, { line: 'GET /api/health HTTP/1.1' })
    const second = rawRequest(server.port, { line: makeToken, headers: [...signedIn(), json, length], body })
    const text = await exchange(server.port, first + second)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['200', '400'])
    expect(await tokens()).toBe(before)
  })

  it('reads no second request behind a body that was refused unread', async () => {
    const before = await tokens()
    const behind = rawRequest(server.port, { line: makeToken, headers: [...signedIn(), json, length], body })
    const headers = [...signedIn(), 'Content-Type: text/plain', 'Transfer-Encoding: chunked']
    await send({ line: makeToken, headers, body: behind })
    expect(await tokens()).toBe(before)
  })

  it('ends lines as HTTP does, and takes the honest spelling', async () => {
    const bare = rawRequest(server.port, { line: makeToken, headers: [...signedIn(), json, length], body }).replaceAll(
      '\r\n',
      '\n',
    )
    expect((await sendRaw(server.port, bare)).map(({ status }) => status)).toEqual([400])
    const before = await tokens()
    const [made] = await send({ line: makeToken, headers: [...signedIn(), json, length], body })
    expect([made?.status === 400, await tokens()]).toEqual([false, before + 1])
  })
})

describe('a spelling of a path that some router folds', () => {
  it.each([
    '/api\\health',
    '/./api/health',
    '/api/./health',
    '/%61pi/health',
    '/api/health;x',
    '/api/health/..;/health',
    '/api/health%20',
    '/api/health%0d%0aX-Injected:%201',
    '/api/health%c0%ae',
    '/api//health',
    '/api/%2e%2e/api/health',
    '/\uff0e\uff0e/api/health',
    '*',
    'api/health',
    '/assets/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/.git/config',
    '/..%5c..%5cpackage.json',
  ])('%s reaches nothing', async (path) => {
    const replies = await sendRaw(server.port, rawRequest(server.port, { line: `GET ${path} HTTP/1.1`, headers: signedIn() }))
    expect(replies).toHaveLength(1)
    expect([400, 404]).toContain(replies[0]?.status)
    expect(replies[0]?.headers.get('x-injected')).toBeUndefined()
    expect(replies[0]?.body).not.toMatch(/"version"|repositoryformatversion/)
  })
})

describe('what claims to speak for another', () => {
  const claims = [
    'X-Forwarded-For: 10.0.0.1',
    'X-Forwarded-Host: evil.test',
    'X-Forwarded-Proto: https',
    'X-Real-IP: 10.0.0.1',
    'Forwarded: for=10.0.0.1;host=evil.test;proto=https',
    'X-Original-URL: /api/account/logout',
    'X-Rewrite-URL: /api/account/logout',
    'X-HTTP-Method-Override: POST',
    'X-Method-Override: DELETE',
    'Via: 1.1 evil.test',
  ]

  it('changes neither route, method nor caller', async () => {
    const [answer] = await send({ line: 'GET /api/account/session HTTP/1.1', headers: [...signedIn(), ...claims] })
    expect(answer?.status).toBe(200)
    expect(answer?.headers.get('location')).toBeUndefined()
    expect((await send({ line: 'GET /api/account/session HTTP/1.1', headers: claims }))[0]?.status).toBe(401)
  })

  it.each([
    ['the token of another session', () => server.signIn(), (mine: Session, other: Session) => [mine.cookie, other.token]],
    ['the token as a cookie', () => server.signIn(), (mine: Session) => [`${mine.cookie}; x-bridlewise-token=${mine.token}`, '']],
  ] as const)('proves nothing with %s', async (_what, sign, mix) => {
    const [cookie = '', token = ''] = mix(session, await sign())
    const headers = [`Cookie: ${cookie}`, ...(token === '' ? [] : [`x-bridlewise-token: ${token}`])]
    const [answer] = await send({ line: 'GET /api/account/session HTTP/1.1', headers })
    expect([answer?.status, codeOf(answer)]).toEqual([401, 'token_missing'])
  })

  it('proves nothing with a token in the query', async () => {
    const line = `GET /api/account/session?x-bridlewise-token=${session.token}&token=${session.token} HTTP/1.1`
    expect((await send({ line, headers: [`Cookie: ${session.cookie}`] }))[0]?.status).toBe(401)
  })

  it.each([
    ['the mark of a service worker', ['Service-Worker: script']],
    ['the destination of a service worker', ['Sec-Fetch-Dest: serviceworker', 'Sec-Fetch-Site: same-origin']],
  ])('with %s gets the one worker script and nothing else', async (_what, headers) => {
    for (const place of ['/', '/api/health', '/assets/x.js', '/nowhere']) {
      expect(codeOf((await send({ line: `GET ${place} HTTP/1.1`, headers }))[0]), place).toBe('origin_not_allowed')
    }
    expect((await send({ line: 'GET /sw.js HTTP/1.1', headers }))[0]?.status).not.toBe(403)
  })
})

describe('a bomb', () => {
  const login = 'POST /api/account/login HTTP/1.1'
  const limit = account.operations.login.bodyLimit
  const sized = (text: string, line = login, headers: readonly string[] = []) =>
    send({ line, headers: [json, `Content-Length: ${Buffer.byteLength(text)}`, ...headers], body: text })

  it.each(['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'identity, gzip'])('in %s is not opened', async (coding) => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024)).toString('latin1')
    const headers = [json, `Content-Encoding: ${coding}`, `Content-Length: ${bomb.length}`]
    expect(codeOf((await send({ line: login, headers, body: bomb }))[0])).toBe('request_malformed')
  })

  it('of one byte too many is refused, and of as many as may be is read', async () => {
    const filled = (bytes: number) => `{"username":"${'a'.repeat(bytes - 30)}","password":"x"}`.padEnd(bytes)
    const [over, fits] = [(await sized(filled(limit + 1)))[0], (await sized(filled(limit)))[0]]
    expect([over?.status, codeOf(over)]).toEqual([413, 'body_too_large'])
    expect(codeOf(fits)).toBe('input_invalid')
  })

  it('of chunks without end is refused at the limit, and the connection ends', async () => {
    const head = rawRequest(server.port, { line: login, headers: [json, 'Transfer-Encoding: chunked'] })
    const { text, written } = await pour(server.port, head, `1000\r\n${'x'.repeat(0x1000)}\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it.each([
    ['utf-16', 'application/json; charset=utf-16'],
    ['utf-7', 'application/json; charset=utf-7'],
    ['two types', 'application/json, text/plain'],
    ['a form', 'multipart/form-data; boundary=x'],
    ['no type', null],
  ])('of %s is not read', async (_what, type) => {
    const headers = [...(type === null ? [] : [`Content-Type: ${type}`]), 'Content-Length: 2']
    expect(codeOf((await send({ line: login, headers, body: '{}' }))[0])).toBe('content_type_not_json')
  })

  it.each<[string, string, string]>([
    ['of keys', `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 'input_invalid'],
    ['of brackets', '['.repeat(500_000), 'request_malformed'],
    ['of nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'request_malformed'],
    ['of one long number', `{"prompt":${'9'.repeat(900_000)}}`, 'input_invalid'],
    ['of escapes', `{"prompt":"${'\\u0041'.repeat(160_000)}","x":1}`, 'input_invalid'],
    ['of a prompt beyond its limit', `{"prompt":"${'a'.repeat(400_001)}"}`, 'input_invalid'],
    ['of prototypes', '{"prompt":"x","__proto__":{"role":"admin"}}', 'input_invalid'],
    ['of constructors', '{"prompt":"x","constructor":{"prototype":{"role":"admin"}}}', 'input_invalid'],
  ])('%s is refused, and nothing else waits for it', async (_what, text, code) => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(run.operations.start.bodyLimit)
    const [[answer], health] = await Promise.all([
      sized(text, 'POST /api/run/start HTTP/1.1', signedIn()),
      fetch(`${server.url}/api/health`),
    ])
    expect(codeOf(answer)).toBe(code)
    expect(health.status).toBe(200)
    expect(({} as Record<string, unknown>)['role']).toBeUndefined()
  })

  it('of a header is refused, and so are more headers than a browser sends', async () => {
    const long = await send({ headers: [`X-Long: ${'a'.repeat(defaultLimits.headerBytes)}`] })
    expect([400, 431]).toContain(long[0]?.status)
    const many = await send({ headers: Array.from({ length: 100 }, (_, i) => `X-Many-${i}: a`) })
    expect(codeOf(many[0])).toBe('request_malformed')
  })
})

describe('patience', () => {
  it('of five hundred sockets that send headers byte by byte costs nobody else an answer', async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => open(server.port)))
    for (const socket of sockets) socket.write('G')
    for (const letter of 'ET /') for (const socket of sockets) socket.write(letter)
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    expect((await fetch(`${server.url}/api/account/session`, { headers: session.headers })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it('of a body that does not come ends with a no, and of a connection that asks nothing with its end', async () => {
    await using hasty = await startTestServer({ limits: { requestMs: 300, headersMs: 200, idleMs: 200 } })
    const head = rawRequest(hasty.port, {
      line: 'POST /api/account/login HTTP/1.1',
      headers: [json, 'Content-Length: 100'],
      body: '{"user',
    })
    expect(await exchange(hasty.port, head)).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
    expect(await exchange(hasty.port, rawRequest(hasty.port))).toMatch(/^HTTP\/1\.1 200 /)
    // A browser keeps connections ready; a word on one would be the answer to whatever it asks next.
    expect(await exchange(hasty.port, '')).toBe('')
  })

  it('of more sockets than there is room for is cut short, and a place that is free is given again', async () => {
    await using small = await startTestServer({ limits: { connections: 8 } })
    const held = await Promise.all(Array.from({ length: 8 }, () => open(small.port)))
    expect(await exchange(small.port, rawRequest(small.port))).toBe('')
    const gone = new Promise((resolve) => held[0]?.once('close', resolve))
    held[0]?.destroy()
    await gone
    await expect.poll(() => exchange(small.port, rawRequest(small.port, { headers: ['Connection: close'] }))).toMatch(/ 200 /)
    for (const socket of held) socket.destroy()
  })
})

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** Everything that comes until the server ends the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
}

/** Write the same again and again until the server ends the connection. */
function pour(port: number, head: string, piece: string): Promise<{ text: string; written: number }> {
  return new Promise((resolve) => {
    let text = ''
    let open = true
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head)
      const more = () => {
        while (open && socket.write(piece)) if (socket.writableLength > 0) break
        if (open) setImmediate(more)
      }
      more()
    })
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open = false
      resolve({ text, written: socket.bytesWritten })
    })
  })
}
