/** Several accounts on one server: who gets in, what they see of each other, and what ends when a right ends. */
import path from 'node:path'
import { defaultLimits } from '@bridlewise/server'
import { type Block, blocks, operationPath } from '@bridlewise/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/storage/database.ts'
import { type Answer, call, enter, invite, join, type Person } from '../support/people.ts'
import { passphrase, type Session, startTestServer, type TestServer } from '../support/server.ts'
import { watchRun } from '../support/watch-run.ts'

const open = { burst: 10_000, everyMs: 1 }
const limits = {
  rates: { light: open, normal: open, costly: open, secret: open },
  reauthoriseMs: 20,
  heartbeatMs: 40,
}
/** Recorded words, so slow that a run is never over before its test is. */
const slowly = { limits, fixturePaceMs: 60_000, environment: { HARNESS_WEB_LLM_FIXTURES: '1' } }

let server: TestServer
let ada: Person
let names = 0
function newName(): string {
  names += 1
  return `person${names}`
}

beforeAll(async () => {
  server = await startTestServer(slowly)
  const code = server.running.setupCode()
  ada = await enter(server, 'setup', { code, username: 'ada', password: passphrase })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (path: string, who: Pick<Session, 'headers'>, input?: object) =>
  call(server, path, { headers: who.headers, ...(input ? { input } : {}) })
const codeOf = ({ body }: Answer) => body.refusal?.code ?? 'ok'
const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })

async function newToken(who: Session, more: object = {}) {
  const { body } = await ask('account/token/create', who, { name: 'script', ...more })
  return body['token'] as { readonly id: string; readonly secret: string }
}

async function startRun(who: Session): Promise<{ readonly id: string; readonly chatId: string }> {
  const { body } = await ask('run/start', who, { prompt: 'hello', mode: 'plan' })
  return body['run'] as { id: string; chatId: string }
}

it('makes one administrator when two set up at the same time', async () => {
  await using fresh = await startTestServer({ limits })
  const code = fresh.running.setupCode()
  const both = await Promise.all(
    ['ada', 'eve'].map((username) => call(fresh, 'account/setup', { input: { code, username, password: passphrase } })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(both.map(codeOf)).toContain('setup_done')
})

describe('a session that was there before', () => {
  const planted = 'attacker-chose-this-value-of-43-characters-x'
  const ways: readonly (readonly [string, () => Promise<object>])[] = [
    ['login', async () => ({ username: 'ADA', password: passphrase })],
    ['acceptInvite', async () => ({ code: await invite(server, ada), username: newName(), password: passphrase })],
    [
      'redeemReset',
      async () => ({ code: await resetOf(await join(server, ada, { username: newName() })), password: passphrase }),
    ],
  ]

  it.each(ways)('is not adopted by %s, whatever cookies came along', async (operation, input) => {
    const junk = Array.from({ length: 60 }, (_, at) => `junk${at}=${'x'.repeat(40)}`).join('; ')
    const cookie = `${junk}; bridlewise_session=${planted}`
    const [one, two] = [await enter(server, operation, await input(), { cookie }), await enter(server, operation, await input())]
    expect(one.cookie).toMatch(/^bridlewise_session=[\w-]{43}$/)
    expect(new Set([one.cookie, two.cookie, `bridlewise_session=${planted}`]).size).toBe(3)
    const shown = { 'x-bridlewise-token': one.token }
    expect((await ask('run/list', one)).status).toBe(200)
    expect((await ask('run/list', { headers: { ...shown, cookie: `bridlewise_session=${planted}` } })).status).toBe(401)
    expect((await ask('run/list', { headers: { ...shown, cookie: `${cookie}; ${one.cookie}` } })).status).toBe(400)
  })
})

describe('a token header', () => {
  let one: Person
  let two: Person
  beforeAll(async () => {
    one = await join(server, ada, { username: newName() })
    two = await enter(server, 'login', { username: one.username, password: passphrase })
  })

  it.each<readonly [string, number, (one: Person, two: Person) => Promise<Answer>]>([
    ['of the session itself', 200, (one) => ask('run/list', one)],
    [
      'of another session of the same person',
      401,
      (one, two) => ask('run/list', { headers: { ...one.headers, 'x-bridlewise-token': two.token } }),
    ],
    ['of another person', 401, (one) => ask('run/list', { headers: { ...one.headers, 'x-bridlewise-token': ada.token } })],
    ['in the query', 401, (one) => ask(`run/list?token=${one.token}`, { headers: { cookie: one.cookie } })],
    ['as an access token', 401, (one) => ask('run/list', bearer(one.token))],
    [
      'of a session that was signed out',
      401,
      async (one, two) => {
        await ask('account/logout', two, {})
        return ask('run/list', { headers: { ...one.headers, 'x-bridlewise-token': two.token } })
      },
    ],
  ])('%s: %d', async (_, status, attempt) => {
    expect((await attempt(one, two)).status).toBe(status)
  })
})

describe('a code', () => {
  it('lets one of several that come with it at once in, and nobody afterwards', async () => {
    const code = await invite(server, ada)
    const crowd = await Promise.all(
      Array.from({ length: 3 }, () =>
        call(server, 'account/acceptInvite', { input: { code, username: newName(), password: passphrase } }),
      ),
    )
    expect(crowd.map(({ status }) => status).sort()).toEqual([201, 403, 403])
    const reset = await resetOf(await join(server, ada, { username: newName() }))
    const redeem = () => call(server, 'account/redeemReset', { input: { code: reset, password: passphrase } })
    expect([await redeem(), await redeem()].map(({ status }) => status)).toEqual([200, 403])
  })

  it('is guessed no faster than a password: both share one limit', async () => {
    await using usual = await startTestServer()
    await usual.signIn()
    const guess = () =>
      call(usual, 'account/acceptInvite', { input: { code: 'invite-aaaaa', username: 'eve', password: passphrase } })
    const answers = []
    for (let tries = 0; tries <= defaultLimits.rates.secret.burst; tries += 1) answers.push(codeOf(await guess()))
    expect(answers.at(0)).toBe('code_unusable')
    expect(answers.at(-1)).toBe('rate_limited')
    expect(codeOf(await call(usual, 'account/login', { input: { username: 'ada', password: passphrase } }))).toBe('rate_limited')
  })
})

describe('a stream', () => {
  let bystander: Person
  beforeAll(async () => {
    bystander = await join(server, ada, { username: newName() })
  })

  /** What becomes of the stream that a session reads and of the one that an access token reads, and what calls get then. */
  type After = readonly ['ends' | 'stays', number]
  const causes: readonly (readonly [
    string,
    { readonly session: After; readonly token: After },
    (subject: Person, token: { readonly id: string }) => Promise<unknown>,
  ])[] = [
    ['sign out', { session: ['ends', 401], token: ['stays', 200] }, (subject) => ask('account/logout', subject, {})],
    [
      'end this session from another',
      { session: ['ends', 401], token: ['stays', 200] },
      async (subject) => endSession(subject, 'one'),
    ],
    [
      'end the other sessions',
      { session: ['ends', 401], token: ['stays', 200] },
      async (subject) => endSession(subject, 'others'),
    ],
    [
      'change the password elsewhere',
      { session: ['ends', 401], token: ['ends', 200] },
      async ({ username }) => {
        const elsewhere = await enter(server, 'login', { username, password: passphrase })
        await ask('account/password/change', elsewhere, { currentPassword: passphrase, newPassword: `${passphrase} too` })
      },
    ],
    [
      'set a new password by a code',
      { session: ['ends', 401], token: ['ends', 401] },
      async (subject) => enter(server, 'redeemReset', { code: await resetOf(subject), password: passphrase }),
    ],
    [
      'revoke the token',
      { session: ['stays', 200], token: ['ends', 401] },
      (subject, { id }) => ask(`account/token/${id}/revoke`, subject, {}),
    ],
    [
      'lose the role',
      { session: ['ends', 200], token: ['ends', 200] },
      ({ userId }) => ask(`user/${userId}/setRole`, ada, { role: 'member' }),
    ],
    ['lose the account', { session: ['ends', 401], token: ['ends', 401] }, ({ userId }) => ask(`user/${userId}/remove`, ada, {})],
  ]

  it.each(causes)('of a session or an access token ends as it must after: %s', async (_, after, act) => {
    const subject = await join(server, ada, { username: newName(), role: 'admin' })
    const token = await newToken(subject)
    const readers = [
      [subject, after.session],
      [bearer(token.secret), after.token],
    ] as const
    const run = await startRun(subject)
    const streams = await Promise.all(readers.map(([reader]) => watchRun(server, reader, run.id)))
    const other = await watchRun(server, bystander, (await startRun(bystander)).id)
    await act(subject, token)
    for (const [at, [reader, [fate, status]]] of readers.entries()) {
      const stream = streams[at]
      if (fate === 'ends') await stream?.ended
      else await stream?.alive()
      expect((await ask('run/list', reader)).status).toBe(status)
      await stream?.leave()
    }
    await other.alive()
    await other.leave()
  })

  it('asks again more often than every two seconds', () => {
    expect(defaultLimits.reauthoriseMs).toBeLessThan(2000)
  })
})

describe('a removed user', () => {
  it('leaves no run going and no row behind, and cannot sign in', async () => {
    const gone = await join(server, ada, { username: newName() })
    await startRun(gone)
    const owned = ['users', 'sessions', 'chats', 'messages', 'runs']
    expect(owned.map((table) => countOf(table, gone))).toEqual([1, 1, 1, 1, 1])
    expect((await ask(`user/${gone.userId}/remove`, ada, {})).status).toBe(200)
    expect(owned.map((table) => countOf(table, gone))).toEqual([0, 0, 0, 0, 0])
    expect((await ask('run/start', gone, { prompt: 'once more', mode: 'plan' })).status).toBe(401)
    const login = await call(server, 'account/login', { input: { username: gone.username, password: passphrase } })
    expect(codeOf(login)).toBe('credentials_wrong')
    expect((await ask('timeline/verify', ada, {})).body).toMatchObject({ valid: true })
  })
})

describe('what is for administrators', () => {
  let bob: Person
  beforeAll(async () => {
    bob = await join(server, ada, { username: newName() })
  })

  const table = blocks.flatMap((block: Block) =>
    Object.values(block.operations)
      .filter(({ access }) => access === 'admin')
      .map((operation) => ({ operation, path: operationPath(block, operation).replace('/api/', '') })),
  )

  it.each(table)('is refused to a member and to a member’s token: $path', async ({ operation, path }) => {
    const token = await newToken(bob)
    const input = operation.kind === 'command' ? { role: 'admin' } : undefined
    for (const who of [bob, bearer(token.secret)]) {
      const answer = await ask(path.replace(/:[A-Za-z]+/, bob.userId), who, input)
      expect([answer.status, codeOf(answer)]).toEqual([403, 'access_denied'])
    }
  })

  it('is refused to somebody who was an administrator, with what they held then', async () => {
    const gone = await join(server, ada, { username: newName(), role: 'admin' })
    const held = [gone, bearer((await newToken(gone)).secret)]
    for (const who of held) expect((await ask('user/list', who)).status).toBe(200)
    await ask(`user/${gone.userId}/setRole`, ada, { role: 'member' })
    for (const { operation, path } of table) {
      const input = operation.kind === 'command' ? { role: 'admin' } : undefined
      for (const who of held)
        expect(codeOf(await ask(path.replace(/:[A-Za-z]+/, gone.userId), who, input)), path).toBe('access_denied')
    }
  })

  it('is not in the interface that a member gets', async () => {
    const idsOf = async (who: Session) => ((await ask('ui/schema', who)).body['blocks'] as { id: string }[]).map(({ id }) => id)
    expect(await idsOf(ada)).toContain('user')
    expect(await idsOf(bob)).not.toContain('user')
  })

  it('keeps the last administrator', async () => {
    await using fresh = await startTestServer({ limits })
    const only = await enter(fresh, 'setup', { code: fresh.running.setupCode(), username: 'only', password: passphrase })
    for (const [path, input] of [
      ['setRole', { role: 'member' }],
      ['remove', {}],
    ] as const) {
      const answer = await call(fresh, `user/${only.userId}/${path}`, { headers: only.headers, input })
      expect([answer.status, codeOf(answer)]).toEqual([409, 'last_admin'])
    }
    expect((await call(fresh, 'user/list', { headers: only.headers })).status).toBe(200)
  })
})

describe('an invitation', () => {
  it('makes nobody an administrator who was invited as a member', async () => {
    const input = { code: await invite(server, ada), username: newName(), password: passphrase }
    expect(codeOf(await call(server, 'account/acceptInvite', { input: { ...input, role: 'admin' } }))).toBe('input_invalid')
    const joined = await enter(server, 'acceptInvite', input)
    expect((await ask('account/session', joined)).body).toMatchObject({ user: { role: 'member' } })
  })
})

describe('an access token for some blocks', () => {
  it('calls those, and nothing else at all', async () => {
    const narrow = bearer((await newToken(ada, { blocks: ['run'] })).secret)
    const wide = bearer((await newToken(ada)).secret)
    const elsewhere = ['chat/list', 'account/session', 'ui/schema', 'user/list', 'openapi.json', 'nothing/here']
    for (const path of elsewhere) expect(codeOf(await ask(path, narrow)), path).toBe('token_out_of_scope')
    expect((await ask('run/list', narrow)).status).toBe(200)
    for (const path of elsewhere) expect(codeOf(await ask(path, wide)), path).not.toBe('token_out_of_scope')
    const stream = await watchRun(server, narrow, (await startRun(ada)).id)
    await stream.alive()
    await stream.leave()
  })

  it.each([[['account']], [['user']], [undefined]])('limited to %j makes no token and no account', async (only) => {
    const who = bearer((await newToken(ada, only ? { blocks: only } : {})).secret)
    for (const [path, input] of [
      ['account/token/create', { name: 'more' }],
      ['account/password/change', { currentPassword: passphrase, newPassword: passphrase }],
      ['user/invite', { role: 'admin' }],
      [`user/${ada.userId}/makeReset`, {}],
    ] as const)
      expect(['session_needed', 'token_out_of_scope'], path).toContain(codeOf(await ask(path, who, input)))
  })

  it('names blocks that there are', async () => {
    const answer = await ask('account/token/create', ada, { name: 'script', blocks: ['run', 'nothing'] })
    expect(codeOf(answer)).toBe('input_invalid')
  })
})

/** Read behind the server's back. */
function countOf(table: string, { userId }: Person): number {
  const database = openDatabase(path.join(server.config.homes.data, 'bridlewise.db'))
  try {
    const column = table === 'users' ? 'id' : 'userId'
    return (
      database.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).get(userId)?.n ?? -1
    )
  } finally {
    database.close()
  }
}

async function resetOf({ userId }: Person): Promise<string> {
  const { body } = await ask(`user/${userId}/makeReset`, ada, {})
  return (body['reset'] as { code: string }).code
}

async function endSession(subject: Person, which: 'one' | 'others'): Promise<void> {
  const { body } = await ask('account/session/list', subject)
  const [session] = (body['sessions'] as { id: string; current: boolean }[]).filter(({ current }) => current)
  const elsewhere = await enter(server, 'login', { username: subject.username, password: passphrase })
  await ask(which === 'one' ? `account/session/${session?.id}/revoke` : 'account/session/revokeOthers', elsewhere, {})
}
