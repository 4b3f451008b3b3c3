/** A project that is shared, and taken away again while its guest is at work in it. */
import { existsSync } from 'node:fs'
import { defaultLimits } from '@bridlewise/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call, enter, join, type Person } from '../support/people.ts'
import { passphrase, type Session, startTestServer, type TestServer } from '../support/server.ts'
import { watchRun } from '../support/watch-run.ts'

const open = { burst: 10_000, everyMs: 1 }
const limits = { rates: { light: open, normal: open, costly: open, secret: open }, reauthoriseMs: 20, heartbeatMs: 40 }

interface Shared {
  readonly owner: Person
  readonly projectId: string
  readonly shareId: string
  readonly path: string
}

let server: TestServer
let ada: Person
let bob: Person
let eve: Person

beforeAll(async () => {
  const environment = { HARNESS_WEB_LLM_FIXTURES: '1' }
  server = await startTestServer({ limits, fixturePaceMs: 60_000, environment })
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
  bob = await join(server, ada, { username: 'bob' })
  eve = await join(server, ada, { username: 'eve' })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (path: string, who: Pick<Session, 'headers'>, input?: object) =>
  call(server, path, { headers: who.headers, ...(input ? { input } : {}) })
const codeOf = ({ body }: Answer) => body.refusal?.code ?? 'ok'
const inPlan = { prompt: 'hello', mode: 'plan' }

async function shareWithBob(owner: Person): Promise<Shared> {
  const project = (await ask('project/demo', owner, {})).body['project'] as { id: string; path: string }
  const share = (await ask(`project/${project.id}/share`, owner, { username: 'Bob' })).body['share'] as { id: string }
  return { owner, projectId: project.id, shareId: share.id, path: project.path }
}

async function startRun(who: Session, input: object = {}): Promise<{ readonly id: string; readonly chatId: string }> {
  const { body } = await ask('run/start', who, { ...inPlan, ...input })
  if (!body['run']) throw new Error(JSON.stringify(body))
  return body['run'] as { id: string; chatId: string }
}

const statusOf = async (who: Session, runId: string) =>
  ((await ask(`run/${runId}`, who)).body['run'] as { status: string }).status

describe('a guest', () => {
  let shared: Shared
  beforeAll(async () => {
    shared = await shareWithBob(ada)
  })

  it('sees the project and by whom it is shared; its owner sees with how many; nobody else sees it', async () => {
    const seen = async (who: Person) => {
      const { projects } = (await ask('project/list', who)).body as unknown as { projects: { id: string }[] }
      return projects.find(({ id }) => id === shared.projectId)
    }
    expect(await seen(bob)).toMatchObject({ sharedBy: 'ada', sharedWith: 0, path: shared.path })
    expect(await seen(ada)).toMatchObject({ sharedBy: null, sharedWith: 1 })
    expect(await seen(eve)).toBeUndefined()
    expect((await ask(`project/${shared.projectId}`, bob)).status).toBe(200)
    expect((await ask(`project/${shared.projectId}`, eve)).status).toBe(404)
  })

  it.each<readonly [string, object | undefined]>([
    ['remove', {}],
    ['previewRemoval', undefined],
    ['share', { username: 'nobody' }],
    ['shares', undefined],
    ['unshare', {}],
  ])('may not %s it, and is answered like somebody who does not have it', async (verb, input) => {
    const given = verb === 'unshare' ? { shareId: shared.shareId } : input
    const [guest, stranger] = [
      await ask(`project/${shared.projectId}/${verb}`, bob, given),
      await ask(`project/${shared.projectId}/${verb}`, eve, given),
    ]
    expect([guest.status, codeOf(guest)]).toEqual([404, 'thing_unknown'])
    expect(guest).toEqual(stranger)
    expect((await ask(`project/${shared.projectId}`, bob)).status).toBe(200)
  })

  it('has chats and runs in it that its owner does not see, and does not see the owner’s', async () => {
    const [mine, theirs] = [
      await startRun(bob, { projectId: shared.projectId }),
      await startRun(ada, { projectId: shared.projectId }),
    ]
    for (const [who, run] of [
      [ada, mine],
      [bob, theirs],
    ] as const) {
      const paths = [`run/${run.id}`, `run/${run.id}/stream`, `chat/${run.chatId}`]
      for (const path of paths) expect((await ask(path, who)).status, path).toBe(404)
      for (const path of [
        'run/list',
        'chat/list',
        'timeline/list',
        `timeline/list?runId=${run.id}`,
        `run/list?chatId=${run.chatId}`,
      ])
        expect(JSON.stringify((await ask(path, who)).body), path).not.toContain(run.id)
      expect(codeOf(await ask(`run/${run.id}/cancel`, who, {}))).toBe('thing_unknown')
    }
    for (const [who, run] of [
      [bob, mine],
      [ada, theirs],
    ] as const)
      expect((await ask(`run/${run.id}/cancel`, who, {})).status).toBe(200)
  })

  it('does not change files while another of its people does: one writer a directory', async () => {
    const writing = await startRun(ada, { projectId: shared.projectId, mode: 'act' })
    expect(codeOf(await ask('run/start', bob, { ...inPlan, projectId: shared.projectId, mode: 'act' }))).toBe('project_busy')
    const reading = await startRun(bob, { projectId: shared.projectId })
    await ask(`run/${writing.id}/cancel`, ada, {})
    await ask(`run/${reading.id}/cancel`, bob, {})
    const next = await startRun(bob, { projectId: shared.projectId, mode: 'act' })
    await ask(`run/${next.id}/cancel`, bob, {})
  })
})

describe('sharing with a name', () => {
  it('is answered the same whether or not somebody has it, and is listed the same', async () => {
    const { projectId } = await shareWithBob(ada)
    const share = async (username: string) => {
      const { status, body } = await ask(`project/${projectId}/share`, ada, { username })
      return { status, fields: Object.keys(body['share'] as object).sort() }
    }
    expect(await share('nobody-is-called-that')).toEqual(await share('eve'))
    const { shares } = (await ask(`project/${projectId}/shares`, ada)).body as unknown as { shares: object[] }
    expect(shares.map((one) => Object.keys(one).sort())).toEqual(Array(3).fill(['createdAt', 'id', 'username']))
    expect((await ask(`project/${projectId}`, eve)).status).toBe(200)
  })

  it('is refused for one’s own, in whatever spelling', async () => {
    const { projectId } = await shareWithBob(ada)
    for (const username of ['ada', 'ADA', 'ａｄａ'])
      expect(codeOf(await ask(`project/${projectId}/share`, ada, { username })), username).toBe('input_invalid')
  })
})

describe('a guest at work', () => {
  const unshare = ({ owner, projectId, shareId }: Shared) => ask(`project/${projectId}/unshare`, owner, { shareId })

  it.each<readonly [string, 'member' | 'admin', (shared: Shared) => Promise<Answer>, string]>([
    ['its owner takes it back', 'admin', unshare, 'project_unshared'],
    ['the guest leaves', 'admin', ({ projectId }) => ask(`project/${projectId}/leave`, bob, {}), 'project_unshared'],
    ['its owner removes it', 'admin', ({ owner, projectId }) => ask(`project/${projectId}/remove`, owner, {}), 'ok'],
    ['its owner is removed', 'member', ({ owner }) => ask(`user/${owner.userId}/remove`, ada, {}), 'ok'],
  ])('is stopped when %s, and keeps what they said', async (_, role, act, next) => {
    const owner = role === 'admin' ? ada : await join(server, ada, { username: 'zoe' })
    const shared = await shareWithBob(owner)
    const inside = await startRun(bob, { projectId: shared.projectId })
    const elsewhere = await startRun(bob)
    const [ending, going] = [await watchRun(server, bob, inside.id), await watchRun(server, bob, elsewhere.id)]
    expect((await act(shared)).status).toBe(200)
    await ending.ended
    await going.alive()
    await going.leave()
    expect(await statusOf(bob, inside.id)).toBe('cancelled')
    expect(await statusOf(bob, elsewhere.id)).toBe('running')

    expect((await ask(`project/${shared.projectId}`, bob)).status).toBe(404)
    expect(JSON.stringify((await ask('project/list', bob)).body)).not.toContain(shared.projectId)
    const chat = (await ask(`chat/${inside.chatId}`, bob)).body as unknown as { messages: { text: string }[] }
    expect(chat.messages.map(({ text }) => text)).toContain('hello')
    const again = await ask('run/start', bob, { ...inPlan, chatId: inside.chatId })
    expect(codeOf(again)).toBe(next)
    expect(codeOf(await ask('run/start', bob, { ...inPlan, projectId: shared.projectId }))).toBe('thing_unknown')
    expect(codeOf(await ask('chat/create', bob, { projectId: shared.projectId }))).toBe('thing_unknown')
    // What ran is over; only its own words are left, and they replay.
    const replay = await watchRun(server, bob, inside.id)
    await replay.ended
    expect((await ask('timeline/verify', ada, {})).body).toMatchObject({ valid: true })
    const runs = [elsewhere.id, ...(codeOf(again) === 'ok' ? [(again.body['run'] as { id: string }).id] : [])]
    for (const id of runs) await ask(`run/${id}/cancel`, bob, {})
  })

  it('goes on when somebody else loses the project, and comes back when it is shared again', async () => {
    const shared = await shareWithBob(ada)
    const { body } = await ask(`project/${shared.projectId}/share`, ada, { username: 'eve' })
    const run = await startRun(bob, { projectId: shared.projectId })
    await ask(`project/${shared.projectId}/unshare`, ada, { shareId: (body['share'] as { id: string }).id })
    expect(await statusOf(bob, run.id)).toBe('running')
    await unshare(shared)
    expect(codeOf(await ask('run/start', bob, { ...inPlan, chatId: run.chatId }))).toBe('project_unshared')
    await ask(`project/${shared.projectId}/share`, ada, { username: 'bob' })
    const back = await startRun(bob, { chatId: run.chatId })
    await ask(`run/${back.id}/cancel`, bob, {})
  })

  it('is asked for more often than every two seconds', () => {
    expect(defaultLimits.reauthoriseMs).toBeLessThan(2000)
  })
})

describe('a removed project', () => {
  it('is erased with the owner’s chats in it, says so before, and leaves its directory', async () => {
    const { projectId, path } = await shareWithBob(ada)
    const mine = await startRun(ada, { projectId })
    expect(codeOf(await ask(`project/${projectId}/remove`, ada, {}))).toBe('project_busy')
    expect((await ask(`project/${projectId}`, bob)).status).toBe(200)
    await ask(`run/${mine.id}/cancel`, ada, {})
    expect((await ask(`project/${projectId}/previewRemoval`, ada)).body).toEqual({ chats: 1, runs: 1, shares: 1 })
    expect((await ask(`project/${projectId}/remove`, ada, {})).status).toBe(200)
    for (const gone of [`project/${projectId}`, `chat/${mine.chatId}`, `run/${mine.id}`])
      expect((await ask(gone, ada)).status, gone).toBe(404)
    expect(existsSync(path)).toBe(true)
    expect((await ask('timeline/verify', ada, {})).body).toMatchObject({ valid: true })
  })

  it('leaves its copy of the sample only as long as the account is there', async () => {
    const zoe = await join(server, ada, { username: 'zoe2' })
    const [hers, adas] = [await shareWithBob(zoe), await shareWithBob(ada)]
    expect((await ask(`user/${zoe.userId}/remove`, ada, {})).status).toBe(200)
    expect([existsSync(hers.path), existsSync(adas.path)]).toEqual([false, true])
  })
})

it('is on record: who shared, took back, left and removed', async () => {
  const one = await shareWithBob(ada)
  await ask(`project/${one.projectId}/unshare`, ada, { shareId: one.shareId })
  const two = await shareWithBob(ada)
  await ask(`project/${two.projectId}/leave`, bob, {})
  await ask(`project/${two.projectId}/remove`, ada, {})
  const { events } = (await ask('audit/list?limit=100', ada)).body as unknown as { events: { kind: string; who: string }[] }
  const told = events.map(({ kind, who }) => `${kind} by ${who}`)
  for (const line of ['project_shared by ada', 'share_ended by ada', 'share_returned by bob', 'project_removed by ada'])
    expect(told).toContain(line)
})
