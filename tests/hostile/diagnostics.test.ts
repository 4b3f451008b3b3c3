/** LOG-06: what is handed on for help is read first, saved as it was read, and tells of nobody and of nothing that was said. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { CallContext } from '@bridlewise/server'
import { defineBlock, type Handlers, query } from '@bridlewise/shared'
import { diagnosticsSchema, diagnosticsSections, writeDiagnostics } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, enter, join, type Person } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const root = path.resolve(import.meta.dirname, '../..')
const random = () => randomBytes(6).toString('hex')

/** What must not stand in a bundle, each in a place from which the raw text would bring it in. */
const canaries = {
  user: `zoe${random()}`,
  member: `max${random()}`,
  project: `venture${random()}`,
  directory: `secret-dir-${random()}`,
  provider: `supplier${random()}`,
  key: `bridlekey-${random()}${random()}`,
  chat: `plans for ${random()}`,
  home: `home-of-${random()}`,
  password: `correct horse ${random()}`,
} as const

const broken = defineBlock({
  id: 'broken',
  title: 'Broken',
  about: 'An operation that fails over what it was given.',
  operations: { throws: query({ path: '/throws', title: 'Throw', input: z.strictObject({}), output: z.object({}) }) },
})
const handlers: Handlers<typeof broken, CallContext> = {
  throws: async () => {
    throw new TypeError(`cannot read ${canaries.chat} in /home/${canaries.user}`, { cause: new Error(canaries.key) })
  },
}

describe('the diagnostics', () => {
  const base = mkdtempSync(path.join(os.tmpdir(), `${canaries.home}-`))
  const home = process.env['HOME']
  let server: TestServer
  let admin: Person
  let member: Person
  let text = ''

  beforeAll(async () => {
    process.env['HOME'] = base
    const project = path.join(base, canaries.directory)
    mkdirSync(project)
    server = await startTestServer({
      environment: { HARNESS_WEB_DATA: path.join(base, 'data'), HARNESS_WEB_KEYS: path.join(base, 'keys') },
      extra: { blocks: [broken], handlers: { broken: handlers } },
    })
    const code = server.running.setupCode()
    admin = await enter(server, 'setup', { code, username: canaries.user, password: canaries.password })
    member = await join(server, admin, { username: canaries.member })
    const { headers } = admin
    const made = [
      await call(server, 'project/create', { headers, input: { name: canaries.project, path: project } }),
      await call(server, 'chat/create', { headers, input: { title: canaries.chat } }),
      await call(server, 'provider/create', {
        headers,
        input: {
          name: canaries.provider,
          kind: 'custom',
          baseUrl: `https://${canaries.provider}.test/v1`,
          apiKey: canaries.key,
          models: ['m'],
        },
      }),
    ]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await call(server, 'broken/throws', { headers })).status).toBe(500)
    await fetch(`${server.url}/api/health`, { headers: { origin: `http://${canaries.chat.replaceAll(' ', '')}.test` } })
    // A name in the data home that is open to others stands in a line of the posture.
    writeFileSync(path.join(base, 'data', `${canaries.user}.txt`), '', { mode: 0o644 })
    const { body } = await call(server, 'diagnostics', { headers })
    const bundle = diagnosticsSchema.parse(body['bundle'])
    text = writeDiagnostics(bundle, new Set())
      .map((part) => part.text)
      .join('')
  })

  afterAll(async () => {
    process.env['HOME'] = home
    await server[Symbol.asyncDispose]()
    rmSync(base, { recursive: true, force: true })
  })

  /** Each canary, the host and the home in every form that a text could carry them in. */
  function expectNobodyIn(told: string): void {
    const names = { ...canaries, base, host: os.hostname() === 'localhost' ? 'no host' : os.hostname() }
    for (const [what, name] of Object.entries(names)) {
      const word = new RegExp(`(?<![\\p{L}\\p{N}_])${name.replaceAll(/[.()]/g, '\\$&')}(?![\\p{L}\\p{N}_])`, 'iu')
      expect(word.test(told), `${what} is told`).toBe(false)
      if (what === 'host') continue
      for (const form of [Buffer.from(name).toString('base64').slice(0, -4), Buffer.from(name).toString('hex'), name]) {
        expect(told.includes(form), `${what} is told as ${form}`).toBe(false)
      }
    }
  }

  it('of a running server hold every section and none of what was planted', () => {
    expect(Object.keys(diagnosticsSchema.parse(JSON.parse(text)).sections).sort()).toEqual([...diagnosticsSections].sort())
    expectNobodyIn(text)
  })

  it('have something in the place of what stood in the texts, so that it was there to be told', () => {
    const { findings } = diagnosticsSchema.parse(JSON.parse(text)).sections
    const evidence = new Map(findings?.map((line) => [line.id, line.evidence]))
    expect(evidence.get('grant')).toContain('<user 1>')
    expect(evidence.get('one-server')).toContain('<data home>/lock.db')
    expect(evidence.get('data-modes')).toContain('<user 1>.txt')
    expect(evidence.get('keys-modes')).toContain('<key home>')
  })

  it('tell of a fault its name, code and place, and none of its words', () => {
    const { faults } = diagnosticsSchema.parse(JSON.parse(text)).sections
    expect(faults).toMatchObject([{ causes: [{ name: 'TypeError', code: null }, { name: 'Error' }] }])
    expect(server.log.some((line) => line.includes(faults?.[0]?.id ?? 'none'))).toBe(true)
  })

  it('count rows and events, and name nobody who caused them', () => {
    const { storage, events } = diagnosticsSchema.parse(JSON.parse(text)).sections
    const rows = new Map(storage?.tables?.map((table) => [table.name, table]))
    expect(rows.get('users')).toMatchObject({ rows: 2 })
    expect(rows.get('chats')?.bytes).toBeGreaterThan(0)
    expect(events?.map(({ kind }) => kind)).toContain('set_up')
  })

  it.each([
    ['a member', () => member.headers, 403],
    ['nobody', () => ({}), 401],
    ['an administrator', () => admin.headers, 200],
  ])('are for administrators: %s', async (_who, headers, status) => {
    expect((await call(server, 'diagnostics', { headers: headers() })).status).toBe(status)
  })

  describe('from the command line', () => {
    const run = (...words: string[]) =>
      new Promise<{ code: number; out: string; err: string }>((resolve) => {
        const env = {
          PATH: process.env['PATH'] ?? '',
          HOME: base,
          HARNESS_WEB_DATA: path.join(base, 'data'),
          HARNESS_WEB_KEYS: path.join(base, 'keys'),
        }
        const child = execFile(
          process.execPath,
          ['server/cli.ts', 'diagnostics', ...words],
          { cwd: root, env },
          (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
        )
        child.stdin?.end('y\n')
      })
    const target = path.join(base, 'bundle.json')
    let shown = ''

    it('are shown beside a running server, without what was planted', async () => {
      const { code, out, err } = await run()
      shown = out
      expect(code, err).toBe(0)
      expectNobodyIn(out)
      const { madeBy, sections } = diagnosticsSchema.parse(JSON.parse(out))
      expect(madeBy).toBe('command line')
      expect(Object.keys(sections)).toEqual(['product', 'configuration', 'findings', 'limits', 'storage', 'events'])
      expect(out).toContain('<data home>')
    })

    it('are saved by nobody who has not read them', async () => {
      const { code, err } = await run('--output', target)
      expect(code).toBe(1)
      expect(err).toContain('diagnostics_target_unusable')
      expect(() => statSync(target)).toThrow()
    })

    it('are saved byte for byte as they were shown, for the owner alone, without what was left out, and never over a file', async () => {
      const { code, out, err } = await run('--output', target, '--yes', '--without', 'events', '--without', 'findings')
      expect(code, err).toBe(0)
      expect(readFileSync(target, 'utf8')).toBe(out)
      expect(statSync(target).mode & 0o777).toBe(0o600)
      const { leftOut, sections } = diagnosticsSchema.parse(JSON.parse(out))
      expect(leftOut).toEqual(['findings', 'events'])
      expect(Object.keys(sections)).toEqual(['product', 'configuration', 'limits', 'storage'])
      expect(shown).not.toBe(out)

      const again = await run('--output', target, '--yes')
      expect(again.code).toBe(1)
      expect(again.err).toContain('something is there already')
      expect(readFileSync(target, 'utf8')).toBe(out)
    })

    it.each([[['--without', 'nothing-known']], [['--json', '--output', 'x']], [['--loud']]])('know no %j', async (words) => {
      const { code, err } = await run(...words)
      expect(code, err).toBe(2)
    })
  })
})
