/**
 * Somebody on this machine tries to get in: guesses, planted cookies and records, clocks, crowds.
 *
 * Hashing is counted and made cheap: scrypt is asked for with the product's cost, noted down, and worked out with a
 * small one. What a hash costs in truth is measured in `server/accounts/password.test.ts` and the bench.
 */
import type * as nodeCrypto from 'node:crypto'
import { request } from 'node:http'
import path from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { delayLimits } from '../../server/accounts/delays.ts'
import { atOnce, floor, mostWaiting } from '../../server/accounts/password.ts'
import { call, enter, invite, join } from '../support/people.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

interface Hashing {
  readonly cost: object
  readonly bytes: readonly [password: number, salt: number, hash: number]
}

const hashings = vi.hoisted(() => ({ asked: [] as Hashing[], held: null as (() => void)[] | null }))

vi.mock('node:crypto', async (original) => {
  const real = await original<typeof nodeCrypto>()
  const scrypt = (
    password: string,
    salt: Buffer,
    length: number,
    cost: { N: number; r: number; p: number },
    done: () => void,
  ) => {
    const { N, r, p } = cost
    hashings.asked.push({ cost: { N, r, p }, bytes: [Buffer.byteLength(password), salt.length, length] })
    const work = () => real.scrypt(password, salt, length, { N: 16, r, p }, done)
    if (hashings.held) hashings.held.push(work)
    else work()
  }
  return { ...real, default: { ...real, scrypt }, scrypt }
})

const open = { burst: 10_000, everyMs: 1 }
const rates = { light: open, normal: open, costly: open, secret: open }

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ limits: { rates } })
  await server.signIn()
  hashings.asked = []
  hashings.held = null
  // No wait is over before its test is, however slow the machine.
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server[Symbol.asyncDispose]()
})

interface Reply {
  readonly status: number
  readonly code: string
  readonly retryAfter: string | null
  readonly body: unknown
}

async function login(
  input: { readonly username?: unknown; readonly password?: unknown },
  headers: Readonly<Record<string, string>> = {},
  to: TestServer = server,
): Promise<Reply> {
  const response = await fetch(`${to.url}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username: 'ada', password: 'a wrong one', ...input }),
  })
  const body = (await response.json()) as { refusal?: { code: string } }
  return { status: response.status, code: body.refusal?.code ?? 'ok', retryAfter: response.headers.get('retry-after'), body }
}

const right = { username: 'ada', password: passphrase }

async function guess(times: number, input: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const codes = []
  for (let tries = 0; tries < times; tries += 1) codes.push((await login(input, headers)).code)
  return codes
}

async function deviceOf(): Promise<string> {
  const { body } = await login(right)
  return (body as { device: string }).device
}

function changeRows(sql: string): void {
  const database = new Sqlite(path.join(server.config.homes.data, 'bridlewise.db'))
  database.exec(sql)
  database.close()
}

describe('the cookie of a session (AUTH-06)', () => {
  it('is HttpOnly, SameSite=Strict, for this host and every path, and its value stands nowhere else', async () => {
    const response = await fetch(`${server.url}/api/account/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(right),
    })
    const [cookie = '', ...more] = response.headers.getSetCookie()
    expect(more).toEqual([])
    const [pair = '', ...attributes] = cookie.split('; ')
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict'])
    const value = pair.split('=')[1] ?? ''
    expect(value).toMatch(/^[\w-]{43}$/)
    expect(await response.text()).not.toContain(value)
    expect(server.log.join('')).not.toContain(value)
  })

  it('lies as SHA-256 in the database, and so does its token (AUTH-07)', async () => {
    const { cookie, token } = await enter(server, 'login', right)
    const database = new Sqlite(path.join(server.config.homes.data, 'bridlewise.db'), { readonly: true })
    const rows = JSON.stringify(database.prepare('SELECT hex(cookieHash) AS c, hex(tokenHash) AS t FROM sessions').all())
    database.close()
    const { createHash } = await import('node:crypto')
    const digest = (text: string) => createHash('sha256').update(text).digest('hex').toUpperCase()
    for (const secret of [cookie.split('=')[1] ?? '', token]) {
      expect(rows).toContain(digest(secret))
      expect(rows).not.toContain(Buffer.from(secret).toString('hex').toUpperCase())
    }
  })
})

describe('an unknown name (AUTH-08)', () => {
  it('costs the same hash and gets the same answer as a known one, at every step of the limit', async () => {
    const seen = async (username: string) => {
      hashings.asked = []
      const replies = []
      for (let tries = 0; tries < delayLimits.free + 2; tries += 1) replies.push(await login({ username }))
      return { replies, asked: hashings.asked }
    }
    const known = await seen('ada')
    expect(known.asked).toEqual(Array(delayLimits.free).fill({ cost: floor, bytes: [11, 16, 32] }))
    expect(known.replies.at(0)).toMatchObject({ status: 401, code: 'credentials_wrong', retryAfter: null })
    expect(known.replies.at(-1)).toMatchObject({ status: 429, code: 'password_delayed', retryAfter: '2' })
    expect(await seen('nobody')).toEqual(known)
  })
})

describe('a planted record (AUTH-09)', () => {
  it.each([
    ['N = 2^10', 'scrypt$1024$8$1'],
    ['r = 1', 'scrypt$131072$1$1'],
  ])('with %s lets nobody in, and costs what every other one costs', async (_, head) => {
    const { scryptSync } = await vi.importActual<typeof nodeCrypto>('node:crypto')
    const [, , r, p] = head.split('$').map(Number)
    const salt = Buffer.alloc(16, 7)
    // Worked out as the hashing here does it: honoured, the record would match.
    const hash = scryptSync(passphrase, salt, 32, { N: 16, r: r ?? 0, p: p ?? 0 })
    changeRows(`UPDATE users SET password = '${head}$${salt.toString('base64url')}$${hash.toString('base64url')}'`)
    hashings.asked = []
    expect(await login(right)).toMatchObject({ status: 401, code: 'credentials_wrong' })
    expect(hashings.asked).toEqual([{ cost: floor, bytes: [passphrase.length, 16, 32] }])
  })
})

describe('a crowd at the door (AUTH-10)', () => {
  it('is hashed two at a time, a bounded number waits, and the rest is told to come back, while others are served', async () => {
    hashings.held = []
    const crowd = Array.from({ length: 50 }, (_, at) => login({ username: `person${at}` }))
    await expect.poll(() => hashings.held?.length).toBe(atOnce)
    const turned = await Promise.all(await settled(crowd, 50 - atOnce - mostWaiting))
    expect(turned).toEqual(
      Array(turned.length).fill(expect.objectContaining({ status: 503, code: 'hashing_busy', retryAfter: '5' })),
    )
    expect(hashings.held).toHaveLength(atOnce)
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    const waiting = hashings.held
    hashings.held = null
    for (const work of waiting) work()
    const codes = (await Promise.all(crowd)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'credentials_wrong')).toHaveLength(atOnce + mostWaiting)
    expect(await login(right)).toMatchObject({ code: 'ok' })
  })

  /** The first so many that are answered. */
  function settled<T>(all: readonly Promise<T>[], count: number): Promise<T[]> {
    return new Promise((resolve) => {
      const done: T[] = []
      for (const one of all) void one.then((value) => done.push(value) === count && resolve(done))
    })
  }

  it('gets five guesses at one name, however many come at once', async () => {
    const crowd = await Promise.all(Array.from({ length: 50 }, () => login({})))
    expect(crowd.filter(({ code }) => code === 'credentials_wrong')).toHaveLength(delayLimits.free)
    expect(hashings.asked).toHaveLength(delayLimits.free)
  })
})

describe('a strange password (AUTH-11)', () => {
  it.each<[string, unknown, number]>([
    ['of 1 MiB', 'x'.repeat(2 ** 20), 413],
    ['of one character too many', 'x'.repeat(1025), 400],
    ['with half a character', 'correct horse \ud800', 400],
    ['that is empty', '', 400],
    ['that is a list', ['correct horse'], 400],
  ])('%s is refused before anything is hashed', async (_, password, status) => {
    expect(await login({ password })).toMatchObject({ status })
    expect(hashings.asked).toEqual([])
  })

  it.each([
    ['a NUL inside', 'correct\0horse', 'correct'],
    ['a leading space', ' correct horse', 'correct horse'],
    ['a trailing space', 'correct horse ', 'correct horse'],
    ['a ligature', 'ﬁrst horse', 'first horse'],
    ['the greatest length', 'x'.repeat(1024), 'x'.repeat(1023)],
  ])('with %s is taken as it is, and not for a shorter or folded one', async (_, password, other) => {
    const username = 'strange'
    await join(server, await enter(server, 'login', right), { username })
    const { code } = await resetCodeFor(username)
    await enter(server, 'redeemReset', { code, password })
    expect(await login({ username, password: other })).toMatchObject({ code: 'credentials_wrong' })
    expect(await login({ username, password })).toMatchObject({ code: 'ok' })
  })

  it('is the same in either Unicode form', async () => {
    const code = await invite(server, await enter(server, 'login', right))
    await enter(server, 'acceptInvite', { code, username: 'ünal', password: 'pässwörd'.normalize('NFC') })
    expect(await login({ username: 'ÜNAL', password: 'pässwörd'.normalize('NFD') })).toMatchObject({ code: 'ok' })
  })

  async function resetCodeFor(username: string): Promise<{ readonly code: string }> {
    const admin = await enter(server, 'login', right)
    const users = (await call(server, 'user/list', { headers: admin.headers })).body['users'] as {
      id: string
      username: string
    }[]
    const { id } = users.find((user) => user.username === username) ?? { id: '' }
    const made = await call(server, `user/${id}/makeReset`, { headers: admin.headers, input: {} })
    return made.body['reset'] as { code: string }
  }
})

describe('a secret of another length (AUTH-12)', () => {
  it.each(['x'.repeat(16), 'x'.repeat(42), 'x'.repeat(44), 'x'.repeat(256)])('is a plain no: %s', async (secret) => {
    const { cookie } = await enter(server, 'login', right)
    const answers = await Promise.all([
      call(server, 'run/list', { headers: { cookie, 'x-bridlewise-token': secret } }),
      call(server, 'run/list', { headers: { cookie: `bridlewise_session=${secret}`, 'x-bridlewise-token': secret } }),
      call(server, 'run/list', { headers: { authorization: `Bearer ${secret}` } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    const entered = await call(server, 'account/redeemReset', {
      input: { code: `reset-${secret.slice(0, 100)}`, password: passphrase },
    })
    expect(entered.status).toBe(403)
    expect(await login(right, { 'x-bridlewise-device': `${secret.slice(0, 60)}.${secret.slice(0, 40)}` })).toMatchObject({
      code: 'ok',
    })
  })
})

describe('a header that claims another origin (AUTH-13)', () => {
  const claims = (at: number): Readonly<Record<string, string>> => ({
    'x-forwarded-for': `10.0.0.${at}`,
    'x-real-ip': `10.0.1.${at}`,
    forwarded: `for=10.0.2.${at}`,
    'cf-connecting-ip': `10.0.3.${at}`,
    'true-client-ip': `10.0.4.${at}`,
  })

  it('gives no further guess at one name', async () => {
    const replies = []
    for (let at = 0; at < 20; at += 1) replies.push(await login({}, claims(at)))
    expect(replies.filter(({ code }) => code === 'credentials_wrong')).toHaveLength(delayLimits.free)
    expect(new Set(replies.slice(delayLimits.free).map(({ code }) => code))).toEqual(new Set(['password_delayed']))
  })

  it('gives no further guess at many names', async () => {
    const burst = 3
    await using usual = await startTestServer({ limits: { rates: { ...rates, secret: { burst, everyMs: 60_000 } } } })
    await usual.signIn()
    const replies = []
    for (let at = 0; at < 20; at += 1) replies.push(await login({ username: `person${at}` }, claims(at), usual))
    expect(replies.map(({ code }) => code)).toEqual([
      ...Array(burst).fill('credentials_wrong'),
      ...Array(20 - burst).fill('rate_limited'),
    ])
  })
})

describe('the limit (AUTH-14)', () => {
  it.each([
    ['an hour back', -60 * 60 * 1000],
    ['a day ahead', 24 * 60 * 60 * 1000],
    ['ten years ahead', 10 * 365 * 24 * 60 * 60 * 1000],
  ])('is neither lifted nor lengthened by a wall clock that goes %s', async (_, jump) => {
    await guess(delayLimits.free)
    const real = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => real() + jump)
    expect(await login(right)).toMatchObject({ code: 'password_delayed', retryAfter: expect.stringMatching(/^[1-3]$/) })
  })

  it('takes all spellings of a name for one', async () => {
    const spellings = ['ada', 'ADA', 'Ada', 'ａｄａ', 'ᴬda'.normalize('NFKC'), 'aDa']
    for (const username of spellings.slice(0, delayLimits.free)) await guess(1, { username })
    expect(await login({ username: spellings.at(-1) })).toMatchObject({ code: 'password_delayed' })
  })

  it('takes 127.0.0.1 and the ways to write it in IPv6 for one', async () => {
    const { addressKey } = await import('../../server/boundary/rate.ts')
    const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.53'].map(addressKey)
    expect(new Set(loopback)).toEqual(new Set(['loopback']))
    expect(addressKey('10.0.0.1')).not.toBe('loopback')
  })

  it('lets the owner in through a browser that signed in before, while others go on guessing', async () => {
    const device = await deviceOf()
    const stranger = async () => (await login(right)).code
    await guess(delayLimits.free)
    expect(await stranger()).toBe('password_delayed')
    for (let times = 0; times < 3; times += 1) {
      expect(await login(right, { 'x-bridlewise-device': device })).toMatchObject({ code: 'ok' })
      expect(await stranger()).toBe('password_delayed')
    }
  })

  it('lets the owner in through that browser also when its address has used up its share', async () => {
    await using usual = await startTestServer({ limits: { rates: { ...rates, secret: { burst: 2, everyMs: 60_000 } } } })
    await usual.signIn()
    const { body } = await login(right, {}, usual)
    const { device } = body as { device: string }
    await login({ username: 'nobody' }, {}, usual)
    expect(await login(right, {}, usual)).toMatchObject({ code: 'rate_limited' })
    expect(await login(right, { 'x-bridlewise-device': device }, usual)).toMatchObject({ code: 'ok' })
  })

  it('holds no session up, and none that is open', async () => {
    const session = await enter(server, 'login', right)
    await guess(delayLimits.free + 1)
    expect((await call(server, 'run/list', { headers: session.headers })).status).toBe(200)
    const change = { currentPassword: passphrase, newPassword: 'another passphrase' }
    expect((await call(server, 'account/password/change', { headers: session.headers, input: change })).status).toBe(200)
  })

  it('is told to administrators, step by step, with whom it was about and without the password', async () => {
    const session = await enter(server, 'login', right)
    await guess(delayLimits.free + 3)
    const { body } = await call(server, 'audit/list', { headers: session.headers })
    const events = body['events'] as { kind: string; who: string | null; where: string; count: number }[]
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'sign_in_slowed', who: 'ada', where: expect.stringContaining('2 s') }),
        expect.objectContaining({ kind: 'password_delayed', count: 3 }),
      ]),
    )
    expect(JSON.stringify(events)).not.toContain('a wrong one')
  })
})

describe('the wall clock (DUR-11)', () => {
  const years = (count: number) => count * 365 * 24 * 60 * 60 * 1000

  function jump(by: number): void {
    const real = performance.timeOrigin + performance.now()
    vi.spyOn(Date, 'now').mockImplementation(() => Math.round(real + by))
  }

  it.each([
    ['ten years ahead', years(10)],
    ['ten years back', years(-10)],
  ])('%s ends sessions and keeps none for ever, and signing in works before and after', async (_, by) => {
    const before = await enter(server, 'login', right)
    const list = async (who: typeof before) => (await call(server, 'run/list', { headers: who.headers })).status
    expect(await list(before)).toBe(200)
    jump(by)
    expect(await list(before)).toBe(401)
    const during = await enter(server, 'login', right)
    expect(await list(during)).toBe(200)
    vi.restoreAllMocks()
    expect(await list(during)).toBe(401)
    expect(await list(await enter(server, 'login', right))).toBe(200)
  })

  it.each([
    ['ten years ahead', years(10)],
    ['ten years back', years(-10)],
  ])('%s makes no code live for ever', async (_, by) => {
    const code = await invite(server, await enter(server, 'login', right))
    jump(by)
    const accept = () => call(server, 'account/acceptInvite', { input: { code, username: 'eve', password: passphrase } })
    expect((await accept()).body.refusal?.code).toBe('code_unusable')
    vi.restoreAllMocks()
    expect((await accept()).status).toBe(201)
  })
})

it('takes two marks of a browser for a malformed request', async () => {
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${server.url}/api/health`, { headers: { 'x-bridlewise-device': ['x'.repeat(20), 'y'.repeat(20)] } })
    sent.on('response', (response) => resolve(response.resume().statusCode))
    sent.on('error', reject)
    sent.end()
  })
  expect(status).toBe(400)
})
