/** What must never come out: secrets in output and files, the inside in a reply, a forged line in the log. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { CallContext } from '@bridlewise/server'
import { type Block, blocks, defineBlock, type Handlers, operationPath, query, stream } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type RawReply, rawRequest, sendRaw } from '../support/raw-http.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

const table = blocks.flatMap((block: Block) =>
  Object.values(block.operations).map((operation) => ({
    method: operation.method,
    path: operationPath(block, operation).replaceAll(/:[A-Za-z]+/g, 'nothing_here'),
  })),
)

describe('a secret that was sent', () => {
  it('stands neither in what the server prints nor in any of its files, whichever call it came with', async () => {
    await using server = await ServerProcess.start()
    const canary = `canary${randomBytes(12).toString('hex')}`
    const carried = {
      cookie: `bridlewise_session=${canary}`,
      'x-bridlewise-token': canary,
      'idempotency-key': canary,
      'last-event-id': canary,
      'user-agent': canary,
      referer: `http://127.0.0.1/${canary}`,
    }
    const body = JSON.stringify({ code: canary, username: canary, password: canary, apiKey: canary, prompt: canary, [canary]: 1 })
    for (const { method, path: place } of table) {
      for (const headers of [
        carried,
        { authorization: `Bearer bw_${canary}` },
        { ...carried, origin: `http://${canary}.test` },
      ]) {
        const json = method === 'POST' ? { 'content-type': 'application/json' } : {}
        const response = await fetch(`${server.url}${place}?secret=${canary}`, {
          method,
          headers: { ...headers, ...json },
          ...(method === 'POST' ? { body } : {}),
        })
        const text = await response.text()
        expect(response.status, place).not.toBe(500)
        if (response.status >= 400 && response.status !== 400) expect(text).not.toContain(canary)
      }
    }
    await fetch(`${server.url}/api/account/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: server.setupCode, username: 'ada', password: `${canary} is long` }),
    })
    await server.kill('SIGTERM')
    expect(server.log).not.toContain(canary)
    const files = [server.homes.data, server.homes.keys].flatMap((home) =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name)),
    )
    expect(files.length).toBeGreaterThan(1)
    expect(files.filter((file) => readFileSync(file).includes(canary))).toEqual([])
  })
})

const broken = defineBlock({
  id: 'broken',
  title: 'Broken',
  about: 'Operations that fail in every way.',
  operations: {
    throws: query({ path: '/throws', title: 'Throw', input: z.strictObject({}), output: z.object({}) }),
    lies: query({ path: '/lies', title: 'Lie', input: z.strictObject({}), output: z.object({ count: z.number() }) }),
    flows: stream({
      path: '/flows',
      title: 'Flow',
      input: z.strictObject({}),
      frame: z.object({ number: z.number(), kind: z.literal('tick') }),
    }),
  },
})

const handlers: Handlers<typeof broken, CallContext> = {
  throws: async () => {
    throw new Error('SELECT password FROM users at /inside/of/the/server.ts:12:34', { cause: new Error('the cause') })
  },
  // Not a number becomes null on the wire, which was not declared.
  lies: async () => ok({ count: Number.NaN }),
  flows: async () =>
    ok(
      (async function* () {
        yield { number: 1, kind: 'tick' as const }
      })(),
    ),
}

describe('a server with a broken handler', () => {
  let server: TestServer
  let session: Session
  const ask = async (line: string, headers: readonly string[] = []): Promise<RawReply> => {
    const signedIn = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)
    const [reply] = await sendRaw(server.port, rawRequest(server.port, { line, headers: [...signedIn, ...headers] }))
    if (!reply) throw new Error(`no answer to ${line}`)
    return reply
  }

  beforeAll(async () => {
    server = await startTestServer({ extra: { blocks: [broken], handlers: { broken: handlers } } })
    session = await server.signIn()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it.each(['throws', 'lies'])(
    'says nothing of the inside when one %s, and logs it once under the id that it gave',
    async (name) => {
      const reply = await ask(`GET /api/broken/${name} HTTP/1.1`)
      expect(reply.status).toBe(500)
      expect(reply.body).not.toMatch(/SELECT|\/inside|\.ts|stack|cause|at \w/)
      const { refusal } = JSON.parse(reply.body) as { refusal: { code: string; details: { fault: string } } }
      expect(refusal.code).toBe('server_fault')
      expect(server.log.filter((line) => line.includes(refusal.details.fault))).toHaveLength(1)
    },
  )

  it.each([
    ['a page', 'GET / HTTP/1.1', []],
    ['a file', 'GET /manifest.webmanifest HTTP/1.1', []],
    ['the service worker', 'GET /sw.js HTTP/1.1', []],
    ['an operation', 'GET /api/health HTTP/1.1', []],
    ['the description', 'GET /api/openapi.json HTTP/1.1', []],
    ['a stream', 'GET /api/broken/flows HTTP/1.1', []],
    ['a fault', 'GET /api/broken/throws HTTP/1.1', []],
    ['an unknown path', 'GET /nowhere HTTP/1.1', ['Accept: text/html']],
    ['an unknown path of the API', 'GET /api/nowhere HTTP/1.1', []],
    ['another method', 'DELETE /api/health HTTP/1.1', []],
    [
      'a method that this path does not take',
      'POST /api/health HTTP/1.1',
      ['Content-Type: application/json', 'Content-Length: 0'],
    ],
    ['a foreign origin', 'GET /api/health HTTP/1.1', ['Origin: null']],
    ['a body of another type', 'POST /api/account/login HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 0']],
    ['a preflight', 'OPTIONS /api/run/start HTTP/1.1', ['Access-Control-Request-Method: POST']],
  ])('answers %s under a policy that runs and loads nothing of others', async (_what, line, headers) => {
    const reply = await ask(line, headers)
    const policy = reply.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*|wss?:/)
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it.each([
    'GET /%0a2026-01-01%20INFO%20login%20ok HTTP/1.1',
    'GET /a%1b[2J%1b[31m HTTP/1.1',
    'GET /%s%d%n{}%j HTTP/1.1',
    'GET /\u009b31m HTTP/1.1',
    `GET /${'x'.repeat(12_000)} HTTP/1.1`,
  ])('writes at most one line of plain characters about attack %#', async (line) => {
    const before = server.log.length
    await ask(line, ['Origin: null'])
    const written = server.log.slice(before)
    expect(written.length).toBeLessThanOrEqual(1)
    for (const entry of written) {
      expect(entry.trimEnd()).toMatch(/^[\x20-\x7e]{1,600}$/)
      expect(JSON.parse(entry)).toMatchObject({ msg: 'refused at the door' })
    }
  })
})

it('listens at one loopback address, and at nothing else', async () => {
  await using server = await ServerProcess.start()
  await fetch(`${server.url}/api/health`)
  const own = new Set(
    readdirSync(`/proc/${server.pid}/fd`).flatMap((fd) => {
      const file = readFileOf(`/proc/${server.pid}/fdinfo/${fd}`)
      return /^ino:\t(\d+)/m.exec(file)?.[1] ?? []
    }),
  )
  const listening = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) =>
    readFileOf(`/proc/${server.pid}/net/${kind}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => own.has(fields[9] ?? '') && (kind.startsWith('udp') || fields[3] === '0A'))
      .map((fields) => `${kind} ${fields[1]}`),
  )
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, '0')
  expect(listening).toEqual([`tcp 0100007F:${port}`])
})

function readFileOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
