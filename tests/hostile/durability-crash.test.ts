/** Something breaks that nobody catches, or the system gives out: one typed line, no secret in it, and no process left that listens. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../server/storage/index.ts'
import { compileCache } from '../support/crash-writer.ts'

/** Looks like nothing that belongs in an output. */
const secret = randomBytes(12).toString('hex')

let base: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-crash-'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const homes = () => ({ data: join(base, 'data'), keys: join(base, 'keys') })

interface Run {
  readonly child: ChildProcess
  readonly errors: Promise<string>
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>
}

/** The server in a shell that may narrow it first, with a module loaded before it that may break it later. */
function run({ narrow = '', breaks = '' }: { readonly narrow?: string; readonly breaks?: string }): Run {
  const loaded = `data:text/javascript,${encodeURIComponent(breaks)}`
  const child = spawn('sh', ['-c', `${narrow} exec "$0" --import "$1" server/main.js`, process.execPath, loaded], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: base,
      HARNESS_WEB_DATA: homes().data,
      HARNESS_WEB_KEYS: homes().keys,
      HARNESS_WEB_PORT: '0',
      NODE_COMPILE_CACHE: compileCache,
    },
  })
  return { child, errors: text(child.stderr), exit: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]> }
}

/** The port that it printed; null when it ended before. */
async function listening({ child, exit }: Run): Promise<number | null> {
  const printed = (async () => {
    let said = ''
    for await (const chunk of child.stdout ?? []) {
      said += String(chunk)
      const port = /127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (port !== undefined && said.includes('Ctrl-C')) return Number(port)
    }
    return null
  })()
  return Promise.race([printed, exit.then(() => null)])
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
}

const error = `Object.assign(new Error('${secret}'), { cause: '${secret}', key: '${secret}' })`
/** Not by a signal: the server takes away every listener of one that was there before it. */
const later = (what: string) => `process.stdin.once('data', () => { ${what} })`

describe('a server in which something breaks that nobody catches', () => {
  it.each([
    ['a timer that throws', `setTimeout(() => { throw ${error} })`],
    ['a promise that is rejected', `Promise.reject(${error})`],
    ['a text that is thrown', `process.nextTick(() => { throw '${secret}' })`],
    [
      'an event of an error without a listener',
      `import('node:events').then(({ EventEmitter }) => new EventEmitter().emit('error', ${error}))`,
    ],
    ['a broken stream', `import('node:stream').then(({ Readable }) => Readable.from([1]).destroy(${error}))`],
    [
      'a thread that breaks',
      `import('node:worker_threads').then(({ Worker }) => new Worker("throw new Error('${secret}')", { eval: true, stderr: true }))`,
    ],
    ['memory that is not given', `setImmediate(() => new ArrayBuffer(2 ** 46))`],
  ])('says one line of it and is gone: %s', async (_what, breaks) => {
    const server = run({ breaks: later(breaks) })
    const port = await listening(server)
    expect(port).not.toBeNull()
    server.child.stdin?.write('now')
    expect(await server.exit).toEqual([70, null])
    const said = await server.errors
    expect(said).toMatch(/^The server broke \([^)]*\) and was ended\..* \[server_crashed\]\n$/)
    expect(said).not.toContain(secret)
    expect(await answers(port ?? 0)).toBe(false)
  })

  it('says the same of what breaks while it starts', async () => {
    const server = run({ breaks: `setTimeout(() => { throw ${error} })` })
    expect(await server.exit).toEqual([70, null])
    expect(await server.errors).toMatch(/^The server broke .* \[server_crashed\]\n$/)
  })

  it('leaves data that the next start opens', async () => {
    const opened = await openStore(homes())
    expect(opened.ok).toBe(true)
    if (opened.ok) opened.value.close()
  })
})

describe('a server that may open few files', () => {
  // With fewer than 22 Node itself does not come up.
  it.each([24, 30, 40])('starts, or says in words that it does not: %s', async (files) => {
    const server = run({ narrow: `ulimit -n ${files};` })
    const port = await listening(server)
    if (port !== null) server.child.kill('SIGTERM')
    const [code] = await server.exit
    const said = await server.errors
    if (port === null) expect(said).toMatch(/ \[\w+\]\n$/)
    expect(code).toBe(port === null ? (said.includes('server_crashed') ? 70 : 1) : 0)
  })

  it('answers again once the others have let go', async () => {
    const server = run({ narrow: 'ulimit -n 64;' })
    const port = (await listening(server)) ?? 0
    const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'error').catch(() => null)])))
    for (const socket of sockets) socket.destroy()
    const health = await fetch(`http://127.0.0.1:${port}/api/health`)
    expect(health.status).toBe(200)
    server.child.kill('SIGTERM')
    expect((await server.exit)[0]).toBe(0)
  })
})
