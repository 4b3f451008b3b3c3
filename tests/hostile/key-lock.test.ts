/** A server whose keys are under a passphrase, before it is given: nothing answers, nothing changes, and a kill loses no key. */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Config, type RunningServer, readConfig, startServer } from '@bridlewise/server'
import { type Block, blocks, operationPath } from '@bridlewise/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Homes, openStore, protectKeys } from '../../server/storage/index.ts'
import { openKeyHome } from '../../server/storage/key-access.ts'
import { createFileKeychain } from '../support/keychains.ts'
import { need } from '../support/script-client.ts'
import { addRun } from '../support/store.ts'

const passphrase = randomBytes(12).toString('hex')
const account = { username: 'ada', password: randomBytes(12).toString('hex') }
const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-lock-'))
const quiet = { level: 'silent', stream: { write: () => true } }
const calmRates = { light: { burst: 5000, everyMs: 1 }, normal: { burst: 5000, everyMs: 1 }, costly: { burst: 500, everyMs: 1 } }
const limits = { rates: { ...calmRates, secret: { burst: 3, everyMs: 60_000 } } }

function configOf(homes: Homes): Config {
  return need(readConfig({ HARNESS_WEB_DATA: homes.data, HARNESS_WEB_KEYS: homes.keys, HARNESS_WEB_PORT: '0' }))
}

/** Of every file but the lock's: what a call could have changed. */
function digestOf(homes: Homes): string {
  const digest = createHash('sha256')
  for (const home of [homes.data, homes.keys]) {
    for (const name of readdirSync(home).sort()) {
      const file = path.join(home, name)
      digest.update(name)
      if (!name.startsWith('lock.') && name !== 'backups') digest.update(readFileSync(file))
    }
  }
  return digest.digest('hex')
}

afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('while the key home is locked', { timeout: 120_000 }, () => {
  const homes = { data: path.join(base, 'data'), keys: path.join(base, 'keys') }
  let server: RunningServer
  let signedIn: Readonly<Record<string, string>>
  let runId = ''

  beforeAll(async () => {
    const open = need(await startServer(configOf(homes), { log: quiet }))
    const entered = await post(open.url, '/api/account/setup', { code: open.setupCode(), ...account })
    const { token, user } = (await entered.json()) as { token: string; user: { id: string } }
    signedIn = { cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'x-bridlewise-token': token }
    await open.close()
    const store = need(await openStore(homes))
    const scope = addRun(store, { userId: user.id })
    runId = scope.runId
    store.close()
    need(await protectKeys(homes, passphrase))
    server = need(await startServer(configOf(homes), { log: quiet, limits }))
  }, 60_000)
  afterAll(() => server?.close())

  function post(url: string, to: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    return fetch(url + to, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }
  const unlock = (words: string) => post(server.url, '/api/lock/unlock', { passphrase: words })
  async function codeOf(reply: Promise<Response>): Promise<string> {
    const response = await reply
    const { refusal } = (await response.json()) as { refusal?: { code: string } }
    return `${response.status} ${refusal?.code ?? 'ok'}`
  }

  it('every operation of every block answers 423 and changes nothing, whoever calls; what may answer does', async () => {
    const before = digestOf(homes)
    const open: string[] = []
    for (const block of blocks as readonly Block[]) {
      for (const [name, operation] of Object.entries(block.operations)) {
        const to = operationPath(block, operation).replaceAll(/:[A-Za-z]+/g, 'nothing')
        for (const headers of [signedIn, {}]) {
          const call =
            operation.method === 'POST' ? post(server.url, to, {}, headers) : fetch(server.url + to, { headers: { ...headers } })
          const code = await codeOf(call)
          if (code !== '423 key_home_locked') open.push(`${block.id}.${name} ${code}`)
        }
      }
    }
    expect([...new Set(open)].sort()).toEqual(['health.get 200 ok', 'lock.status 200 ok', 'lock.unlock 400 input_invalid'])
    for (const to of ['/api/openapi.json', '/api/nothing/here']) {
      expect(await codeOf(fetch(server.url + to, { headers: signedIn }))).toBe('423 key_home_locked')
    }
    expect((await fetch(server.url)).status).not.toBe(423)
    expect(digestOf(homes)).toBe(before)
  })

  it.each<[string, RequestInit, string]>([
    ['a foreign Origin', { method: 'POST', headers: { origin: 'http://evil.test' } }, '403 origin_not_allowed'],
    ['a page of another site', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }, '403 origin_not_allowed'],
    ['a form', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }, '415 content_type_not_json'],
    ['GET', { method: 'GET' }, '405 method_not_allowed'],
    ['a passphrase in the address', { method: 'POST', headers: { 'content-type': 'application/json' } }, '400 input_invalid'],
  ])('the choke point stands before the unlock: %s', async (_what, init, code) => {
    expect(await codeOf(fetch(`${server.url}/api/lock/unlock?passphrase=${passphrase}`, init))).toBe(code)
    expect(server.isLocked()).toBe(true)
  })

  it('no second server gets the homes, and the passphrase is not guessed faster than the limit', async () => {
    const second = await startServer(configOf(homes), { log: quiet })
    expect(second.ok ? 'ok' : second.refusal.code).toBe('data_home_locked')
    const before = digestOf(homes)
    expect(await codeOf(unlock('another passphrase'))).toBe('403 passphrase_wrong')
    const guesses = await Promise.all([1, 2, 3, 4].map((n) => codeOf(unlock(`guess number ${n}`))))
    expect(guesses.filter((code) => code === '403 passphrase_wrong')).toHaveLength(2)
    expect(guesses.filter((code) => code === '429 rate_limited')).toHaveLength(2)
    expect(digestOf(homes)).toBe(before)
    expect(server.isLocked()).toBe(true)
  })

  it('then the passphrase opens everything at the same address: sessions, due work, and the record of what was tried', async () => {
    await server.close()
    server = need(await startServer(configOf(homes), { log: quiet, limits }))
    const agent = server.url
    expect(await codeOf(unlock('another passphrase'))).toBe('403 passphrase_wrong')
    expect(await Promise.all([unlock(passphrase), unlock(passphrase)].map(codeOf))).toEqual(
      expect.arrayContaining(['200 ok', '409 key_home_open']),
    )
    expect(server.url).toBe(agent)
    expect(server.isLocked()).toBe(false)
    const get = async (to: string) => (await fetch(agent + to, { headers: signedIn })).json()
    expect(await get('/api/account/session')).toMatchObject({ user: { username: 'ada' } })
    expect(await get('/api/lock')).toEqual({ state: 'open' })
    expect(await get(`/api/run/${runId}`)).toMatchObject({ run: { status: 'interrupted' } })
    const { events } = (await get('/api/audit/list')) as { events: { kind: string; count: number }[] }
    expect(events.find(({ kind }) => kind === 'passphrase_wrong')).toMatchObject({ count: 1 })
    expect(await codeOf(post(agent, '/api/lock/unlock', { passphrase: 'anything' }))).toBe('409 key_home_open')
    await server.close()
    const again = need(await startServer(configOf(homes), { log: quiet, unlock: { passphrase } }))
    expect(again.isLocked()).toBe(false)
    await again.close()
  })
})

describe('CRY-11: the file of the locked keys', { timeout: 120_000 }, () => {
  const homes = { data: path.join(base, 'own/data'), keys: path.join(base, 'own/keys') }
  const other = { data: path.join(base, 'other/data'), keys: path.join(base, 'other/keys') }
  const file = path.join(homes.keys, 'keys.locked')
  let whole = ''

  beforeAll(async () => {
    for (const each of [homes, other]) {
      need(await openStore(each)).close()
      need(await protectKeys(each, passphrase))
    }
    whole = readFileSync(file, 'utf8')
  }, 60_000)

  const rewrite = (change: (text: string) => string) => () => writeFileSync(file, change(whole))
  function moveBehindLink(): void {
    renameSync(file, path.join(base, 'moved'))
    symlinkSync(path.join(base, 'moved'), file)
  }
  function replaceByPipe(): void {
    rmSync(file)
    spawnSync('mkfifo', ['-m', '600', file])
  }
  const swap = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`

  it.each<[string, () => void, string]>([
    ['a cost below the floor', rewrite((text) => text.replace('131072', '65536')), 'key_home_unsafe'],
    ['a cost that exhausts memory', rewrite((text) => text.replace('131072', '134217728')), 'key_home_unsafe'],
    ['a cost that is no power of two', rewrite((text) => text.replace('131072', '131073')), 'key_home_unsafe'],
    ['a block size out of bounds', rewrite((text) => text.replace(' 8 1 ', ' 999 1 ')), 'key_home_unsafe'],
    ['a parallelism out of bounds', rewrite((text) => text.replace(' 8 1 ', ' 8 999 ')), 'key_home_unsafe'],
    ['another version', rewrite((text) => text.replace('keys 1', 'keys 2')), 'key_home_unsafe'],
    ['another way to open it', rewrite((text) => text.replace(/scrypt.* /, 'plain ')), 'key_home_unsafe'],
    ['a cut', rewrite((text) => `${text.trimEnd().slice(0, -10)}\n`), 'key_home_unsafe'],
    ['nothing in it', rewrite(() => ''), 'key_home_unsafe'],
    ['a tail', rewrite((text) => `${text}${text}`), 'key_home_unsafe'],
    ['a dearer cost', rewrite((text) => text.replace('131072', '262144')), 'passphrase_wrong'],
    ['another salt', rewrite((text) => swap(text, text.indexOf(' 8 1 ') + 8)), 'passphrase_wrong'],
    ['another nonce', rewrite((text) => swap(text, text.lastIndexOf(' ') + 3)), 'passphrase_wrong'],
    ['a changed key', rewrite((text) => swap(text, text.lastIndexOf('\n', text.length - 2) + 5)), 'passphrase_wrong'],
    ['the keys of another home', () => copyFileSync(path.join(other.keys, 'keys.locked'), file), 'key_missing'],
    ['nothing at all', () => rmSync(file), 'key_missing'],
    ['modes for everybody', () => chmodSync(file, 0o644), 'key_home_unsafe'],
    ['a second name', () => linkSync(file, path.join(base, 'second')), 'key_home_unsafe'],
    ['a link', moveBehindLink, 'key_home_unsafe'],
    ['a pipe', replaceByPipe, 'key_home_unsafe'],
  ])('is refused with %s, no key is made, and the right file opens again', async (_what, spoil, code) => {
    spoil()
    const tried = await openStore(homes, Date.now, { passphrase })
    expect(tried.ok ? 'ok' : tried.refusal.code).toBe(code)
    expect(readdirSync(homes.keys).filter((name) => name.endsWith('.key'))).toEqual([])
    for (const name of ['second', 'moved', 'own/keys/keys.locked']) rmSync(path.join(base, name), { force: true })
    writeFileSync(file, whole, { mode: 0o600 })
  })

  it('opens as it was', async () => {
    need(await openStore(homes, Date.now, { passphrase })).close()
  })
})

describe('a kill while keys go under a lock or come back', { timeout: 180_000 }, () => {
  const storage = path.join(import.meta.dirname, '../../server/storage')
  const support = path.join(import.meta.dirname, '../support/keychains.ts')

  /** Ends itself before its n-th change of the file system, as a power cut would; prints `done` when it got through. */
  const job = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const [homes, entries, direction, at] = JSON.parse(process.argv[1])
    let seen = 0
    for (const name of ['writeSync', 'renameSync', 'rmSync']) {
      const real = fs[name]
      fs[name] = (...given) => {
        const ours = typeof given[0] === 'number' || String(given[0]).startsWith(homes.keys)
        if (ours && (seen += 1) === at) process.kill(process.pid, 'SIGKILL')
        return real(...given)
      }
    }
    const { protectKeysByKeychain, unprotectKeys } = await import(${JSON.stringify(path.join(storage, 'key-protection.ts'))})
    const { createFileKeychain } = await import(${JSON.stringify(support)})
    const keychain = createFileKeychain(entries)
    syncBuiltinESMExports()
    const done = direction === 'on'
      ? await protectKeysByKeychain(homes, { keychain })
      : await unprotectKeys(homes, 'keychain', { keychain })
    console.log(done.ok ? 'done' : done.refusal.message)`

  it.each(['on', 'off'])(
    '%s: at every moment the keys open, and none is left in the clear beside locked ones',
    async (direction) => {
      const entries = mkdtempSync(path.join(base, 'entries-'))
      const homes = { data: path.join(entries, 'data'), keys: path.join(entries, 'keys') }
      const keychain = createFileKeychain(entries)
      need(await openStore(homes)).close()
      const [key = ''] = readdirSync(homes.keys)
      if (direction === 'off') expect(kill(homes, entries, { direction: 'on', at: 0 })).toBe('done')
      let kills = 0
      for (;;) {
        const said = kill(homes, entries, { direction, at: kills + 1 })
        const home = need(await openKeyHome(homes.keys, { keychain }))
        need(home.settle())
        expect([...need(home.read()).keys()]).toEqual([key.replace('.key', '')])
        if (existsSync(path.join(homes.keys, 'keys.locked'))) expect(readdirSync(homes.keys)).toEqual(['keys.locked'])
        if (said === 'done') break
        kills += 1
        // The last change may be made already: the next kill needs the way before it again.
        const arrived = (home.protection === 'none') === (direction === 'off')
        if (arrived) expect(kill(homes, entries, { direction: direction === 'on' ? 'off' : 'on', at: 0 })).toBe('done')
      }
      expect(kills).toBeGreaterThan(2)
      expect(readdirSync(homes.keys)).toEqual(direction === 'on' ? ['keys.locked'] : [key])
    },
  )

  function kill(homes: Homes, entries: string, { direction, at }: { direction: string; at: number }): string {
    const words = JSON.stringify([homes, entries, direction, at])
    const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', job, words], {
      encoding: 'utf8',
    })
    if (signal === null && stdout.trim() !== 'done') throw new Error(`${stdout}${stderr}`)
    return stdout.trim()
  }
})
