import { rename } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { codeOf, endOf, mustOk, openRunHouse, openRunRoom, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith, silence } from '../../tests/support/script.ts'
import { addUser, newId } from '../../tests/support/store.ts'
import type { Owner } from '../storage/index.ts'

/** Nothing was made: no chat, no run, no beat. */
function expectNothing({ store, owner }: RunRoom): void {
  expect(store.chats.list(owner, { limit: 10 }).items).toEqual([])
  expect(store.runs.list(owner, { limit: 10 }).items).toEqual([])
  expect(store.ledger.head().seq).toBe(0)
}

describe('a start is refused, and nothing is made,', () => {
  it.each<[string, (room: RunRoom) => Parameters<RunRoom['start']>[0] | Promise<Parameters<RunRoom['start']>[0]>, string]>([
    ['without a provider', () => ({}), 'provider_not_configured'],
    [
      'without a chosen model',
      (room) => {
        room.addProvider('http://127.0.0.1:9/v1')
        room.store.settings.remove(room.owner, 'chosenModel')
        return {}
      },
      'model_not_chosen',
    ],
    [
      'with a model that the provider does not have',
      (room) => ({ model: { providerId: room.addProvider('http://127.0.0.1:9/v1'), modelId: 'other' } }),
      'model_not_configured',
    ],
    [
      'with a service and no key',
      (room) => {
        room.addProvider('https://api.openai.com/v1', { kind: 'openai' })
        return {}
      },
      'provider_key_missing',
    ],
    [
      'with the provider of somebody else',
      (room) => {
        room.addProvider('http://127.0.0.1:9/v1')
        return { model: { providerId: 'provider_00000000000000000000000000', modelId: 'scripted' } }
      },
      'thing_unknown',
    ],
    [
      'in a chat that is not there',
      (room) => {
        room.addProvider('http://127.0.0.1:9/v1')
        return { chatId: 'chat_00000000000000000000000000' }
      },
      'thing_unknown',
    ],
    [
      'in a project whose directory is gone',
      async (room) => {
        room.addProvider('http://127.0.0.1:9/v1')
        const { id, root } = await room.addProject()
        await rename(root, `${root}-moved`)
        return { projectId: id }
      },
      'project_missing',
    ],
  ])('%s', async (_when, prepare, code) => {
    await using room = await openRunRoom()
    expect(codeOf(await room.start(await prepare(room)))).toBe(code)
    expectNothing(room)
  })

  it('when too many are active, and is not when one has ended', async () => {
    await using house = await openRunHouse([silence, answersWith('ok')], { limits: { active: 1 } })
    const { room } = house
    const run = mustOk(await room.start({}))
    expect(codeOf(await room.start({}))).toBe('run_too_many')
    await room.runs.cancel(room.owner, run.id)
    expect(codeOf(await room.start({}))).toBe('ok')
  })

  it('in a chat or a project where another run is at work', async () => {
    await using house = await openRunHouse(() => silence)
    const { room } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    expect(codeOf(await room.start({ chatId: run.chatId }))).toBe('chat_busy')
    expect(codeOf(await room.start({ projectId: project.id }))).toBe('project_busy')
    expect(room.store.chats.list(room.owner, { limit: 10 }).items).toHaveLength(1)
    expect(codeOf(await room.start({ projectId: project.id, mode: 'plan' }))).toBe('ok')
    expect(codeOf(await room.start({ projectId: (await room.addProject()).id }))).toBe('ok')
  })
})

describe('exactly once', () => {
  it('one key starts one run, however often and however close it is sent', async () => {
    await using house = await openRunHouse([answersWith('ok')])
    const { room, endpoint } = house
    const idempotencyKey = 'one-key-for-all'
    const started = await Promise.all(Array.from({ length: 20 }, () => room.start({ idempotencyKey })))
    const ids = new Set(started.map((result) => mustOk(result).id))
    expect(ids.size).toBe(1)
    await room.watch([...ids][0] ?? '')
    expect(mustOk(await room.start({ idempotencyKey })).status).toBe('completed')
    expect(endpoint.received).toHaveLength(1)
  })

  it('two starts at once are two runs, each executed once', async () => {
    await using house = await openRunHouse(() => answersWith('ok'))
    const { room, endpoint } = house
    const runs = (await Promise.all([room.start({}), room.start({})])).map(mustOk)
    for (const run of runs) expect(endOf(await room.watch(run.id))?.status).toBe('completed')
    expect(endpoint.received).toHaveLength(2)
  })
})

describe('what goes while a start waits for the directory', () => {
  it.each<[string, string, (room: RunRoom, of: { projectId: string; chatId: string }) => unknown]>([
    ['the account', 'session_missing', ({ store, owner }) => store.users.remove(owner.userId)],
    ['the project', 'thing_unknown', ({ store, owner }, { projectId }) => store.projects.remove(owner, projectId)],
    ['the chat', 'thing_unknown', ({ store, owner }, { chatId }) => store.chats.remove(owner, chatId)],
  ])('is refused for what it was: %s', async (_what, code, takeAway) => {
    await using room = await openRunRoom({ fixtures: true })
    const { id: projectId } = await room.addProject()
    const chatId = newId('chat')
    room.store.chats.create(room.owner, { id: chatId, title: 'a chat', projectId: null, createdAt: 1 })
    const starting = room.start({ projectId, ...(_what === 'the chat' ? { chatId } : {}) })
    takeAway(room, { projectId, chatId })
    expect(codeOf(await starting)).toBe(code)
    expect(room.store.runs.list(room.owner, { limit: 9 }).items).toEqual([])
    expect(room.faults).toEqual([])
  })

  it('is refused to a guest whose chat is in it, and says that it is not shared any more', async () => {
    await using room = await openRunRoom({ fixtures: true })
    const { projectId, guest } = await shareWithGuest(room)
    const chatId = newId('chat')
    room.store.chats.create(guest, { id: chatId, title: 'a chat', projectId, createdAt: 1 })
    const starting = room.start({ ...guest, chatId })
    room.store.shares.endAll(room.owner, projectId)
    expect(codeOf(await starting)).toBe('project_unshared')
    expect(room.store.runs.list(guest, { limit: 9 }).items).toEqual([])
  })

  it('ends a run that was made but not begun, before it does anything', async () => {
    await using room = await openRunRoom({ fixtures: true })
    const { projectId, guest } = await shareWithGuest(room)
    const run = mustOk(await startAndTakeAway(room, { guest, projectId }))
    await room.watch(run.id).catch(() => undefined)
    const { items } = room.store.ledger.list(guest, { runId: run.id, limit: 9 })
    expect(items.map(({ kind }) => kind)).toEqual(['run_ended'])
    expect(room.store.runs.get(guest, run.id)).toMatchObject({
      status: 'failed',
      outcome: { refusal: { code: 'project_unshared' } },
    })
  })
})

/** The room's owner shares a project with somebody. */
async function shareWithGuest(room: RunRoom): Promise<{ projectId: string; guest: Owner }> {
  const guest = addUser(room.temp, 'bob')
  const { id: projectId } = await room.addProject()
  room.store.shares.add(room.owner, { id: newId('share'), projectId, username: 'bob', createdAt: 1 })
  return { projectId, guest }
}

/** Takes the project away in the moment between the run's commit and its first step. */
function startAndTakeAway(room: RunRoom, { guest, projectId }: { guest: Owner; projectId: string }) {
  const { open } = room.feed
  room.feed.open = (runId, after) => {
    open(runId, after)
    room.store.shares.endAll(room.owner, projectId)
  }
  return room.start({ ...guest, projectId })
}
