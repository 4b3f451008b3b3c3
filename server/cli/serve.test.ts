/** The entry point as a user starts it: a process, its output, its exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore, protectKeys } from '../storage/index.ts'

const server = fileURLToPath(new URL('..', import.meta.url))

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-cli-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

interface Started {
  readonly child: ChildProcess
  readonly exit: Promise<{ code: number | null; signal: string | null }>
  output(): string
  /** Resolves once the output holds the text, or the process has ended. */
  until(text: string): Promise<void>
}

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, args, {
    cwd: server,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: base,
      HARNESS_WEB_DATA: join(base, 'data'),
      HARNESS_WEB_KEYS: join(base, 'keys'),
      HARNESS_WEB_PORT: '0',
      ...environment,
    },
  })
  let text = ''
  const heard: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk)
      for (const listener of heard) listener()
    })
  }
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  return {
    child,
    exit,
    output: () => text,
    until: (wanted) =>
      Promise.race([
        new Promise<void>((resolve) => {
          const look = () => text.includes(wanted) && resolve()
          heard.push(look)
          look()
        }),
        exit.then(() => undefined),
      ]),
  }
}

describe('main.js', () => {
  it('prints the address, the setup code and what to do next, and stops in order', async () => {
    const started = start(['main.js'])
    await started.until('Next:')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.output())?.[0] ?? ''
    expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ status: 'ok' })
    const code = readFileSync(join(base, 'data/setup-code'), 'utf8').trim()
    expect(started.output()).toContain(code)
    expect(statSync(join(base, 'data/setup-code')).mode & 0o777).toBe(0o600)
    started.child.kill('SIGTERM')
    expect(await started.exit).toEqual({ code: 0, signal: null })
  })

  it('opens no inspector when it is asked to by signal', async () => {
    const started = start(['main.js'])
    await started.until('Next:')
    started.child.kill('SIGUSR1')
    started.child.kill('SIGINT')
    expect(await started.exit).toEqual({ code: 0, signal: null })
    expect(started.output()).not.toMatch(/debugger|inspector/i)
  })

  it.each([
    ['a host that others can reach', { HARNESS_WEB_HOST: '0.0.0.0' }],
    ['a port that is none', { HARNESS_WEB_PORT: '99999' }],
    ['a key home in the data home', { HARNESS_WEB_KEYS: '/tmp/bridlewise-x/keys', HARNESS_WEB_DATA: '/tmp/bridlewise-x' }],
  ])('ends before it listens or writes anything, given %s', async (_what, environment) => {
    const started = start(['main.js'], environment)
    expect(await started.exit).toEqual({ code: 1, signal: null })
    expect(started.output()).toContain('[config_invalid]')
    expect(started.output()).not.toContain('http://')
  })

  it('says so when something else listens on the port, and holds nothing afterwards', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const started = start(['main.js'], { HARNESS_WEB_PORT: String(port) })
    expect(await started.exit).toEqual({ code: 1, signal: null })
    expect(started.output()).toContain('[port_unusable]')
    other.close()
  })

  it('refuses the homes of a running server', async () => {
    const first = start(['main.js'])
    await first.until('Next:')
    const second = start(['main.js'])
    expect(await second.exit).toEqual({ code: 1, signal: null })
    expect(second.output()).toContain('[data_home_locked]')
    first.child.kill('SIGTERM')
    expect((await first.exit).code).toBe(0)
  })
})

describe('main.js with keys under a passphrase', { timeout: 60_000 }, () => {
  const passphrase = randomBytes(12).toString('hex')
  const file = () => join(base, 'passphrase')
  beforeEach(async () => {
    const homes = { data: join(base, 'data'), keys: join(base, 'keys') }
    const opened = await openStore(homes)
    if (opened.ok) opened.value.close()
    const done = await protectKeys(homes, passphrase)
    if (!done.ok) throw new Error(done.refusal.message)
    writeFileSync(file(), `${passphrase}\n`, { mode: 0o600 })
  })

  it('says where to unlock, holds the homes, and stops in order while it is locked', async () => {
    const started = start(['main.js'])
    await started.until('It is locked. Open the address')
    const second = start(['main.js'])
    expect(await second.exit).toEqual({ code: 1, signal: null })
    expect(second.output()).toContain('[data_home_locked]')
    started.child.kill('SIGTERM')
    expect(await started.exit).toEqual({ code: 0, signal: null })
  })

  it('takes the passphrase from a file of our own, and from no other', async () => {
    const environment = { HARNESS_WEB_PASSPHRASE_FILE: file() }
    const open = start(['main.js'], environment)
    await open.until('Next:')
    expect(open.output()).not.toContain('locked')
    open.child.kill('SIGTERM')
    expect(await open.exit).toEqual({ code: 0, signal: null })
    chmodSync(file(), 0o644)
    const readable = start(['main.js'], environment)
    expect(await readable.exit).toEqual({ code: 1, signal: null })
    expect(readable.output()).toContain('[passphrase_unusable]')
    chmodSync(file(), 0o600)
    writeFileSync(file(), 'another passphrase')
    const wrong = start(['main.js'], environment)
    expect(await wrong.exit).toEqual({ code: 1, signal: null })
    expect(wrong.output()).toContain('[passphrase_wrong]')
    expect(wrong.output()).not.toContain('http://')
  })
})

describe('cli.ts', () => {
  it('verifies the ledger of homes that no server uses', async () => {
    const started = start(['cli.ts', 'ledger', 'verify'])
    expect(await started.exit).toEqual({ code: 0, signal: null })
    expect(JSON.parse(started.output())).toMatchObject({ valid: true, broken: null })
  })

  it('prints what there is when it is asked for something else', async () => {
    const started = start(['cli.ts', 'ledger'])
    expect(await started.exit).toEqual({ code: 2, signal: null })
    expect(started.output()).toContain('usage: bridlewise')
  })
})
