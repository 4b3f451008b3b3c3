import type { ModelChoice, ModelRole } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, mustOk, openRunHouse, openRunRoom, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith, finishes, says, streams, uses } from '../../tests/support/script.ts'
import { startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { newId } from '../../tests/support/store.ts'
import { setPrice } from '../budget/index.ts'
import type { RolePlace } from '../storage/index.ts'
import { assignRole, findRole } from './roles.ts'

const everywhere: RolePlace = { chatId: null, projectId: null }

function addModels(room: RunRoom, models: readonly string[], more: { kind?: string; baseUrl?: string } = {}): string {
  const draft = { id: newId('provider'), name: 'p', kind: 'custom', baseUrl: '', apiKey: null, models, createdAt: 1, ...more }
  return room.store.providers.create(room.owner, draft).id
}

function assign(room: RunRoom, place: Partial<RolePlace>, role: ModelRole, model: ModelChoice | null) {
  return assignRole(room, room.owner, { place: { ...everywhere, ...place }, role, model })
}

describe('the model of a role', () => {
  let room: RunRoom
  let chatId: string
  let projectId: string
  let providerId: string
  const find = (role: ModelRole, place: Partial<RolePlace>) => {
    const found = findRole(room, room.owner, { role, place: { ...everywhere, ...place } })
    return found && [found.model.modelId, found.from]
  }

  beforeAll(async () => {
    room = await openRunRoom()
  })
  afterAll(() => room[Symbol.asyncDispose]())
  beforeEach(async () => {
    providerId = addModels(room, ['a', 'b', 'c', 'd'])
    projectId = (await room.addProject()).id
    chatId = newId('chat')
    room.store.chats.create(room.owner, { id: chatId, title: 'a', projectId, createdAt: 1 })
    for (const role of ['main', 'small', 'embedding'] as const) mustOk(assign(room, {}, role, null))
  })

  it('is that of the chat, else of its project, else that for everything', () => {
    const here = { chatId, projectId }
    expect(find('main', here)).toBeNull()
    mustOk(assign(room, {}, 'main', { providerId, modelId: 'a' }))
    expect(find('main', here)).toEqual(['a', 'everywhere'])
    mustOk(assign(room, { projectId }, 'main', { providerId, modelId: 'b' }))
    expect([find('main', here), find('main', {})]).toEqual([
      ['b', 'project'],
      ['a', 'everywhere'],
    ])
    mustOk(assign(room, { chatId }, 'main', { providerId, modelId: 'c' }))
    expect([find('main', here), find('main', { projectId })]).toEqual([
      ['c', 'chat'],
      ['b', 'project'],
    ])
    mustOk(assign(room, { chatId }, 'main', null))
    expect(find('main', here)).toEqual(['b', 'project'])
  })

  it('is the main one for small work where no small one is chosen, and none for embeddings', () => {
    mustOk(assign(room, {}, 'main', { providerId, modelId: 'a' }))
    mustOk(assign(room, { chatId }, 'main', { providerId, modelId: 'b' }))
    expect([find('small', { chatId }), find('embedding', { chatId })]).toEqual([['b', 'main'], null])
    mustOk(assign(room, {}, 'small', { providerId, modelId: 'c' }))
    mustOk(assign(room, {}, 'embedding', { providerId, modelId: 'd' }))
    expect([find('small', { chatId }), find('embedding', { chatId })]).toEqual([
      ['c', 'everywhere'],
      ['d', 'everywhere'],
    ])
  })

  it.each<[string, () => unknown]>([
    [
      'its model',
      () => room.store.providers.update(room.owner, providerId, { models: ['a'], name: undefined, apiKey: undefined }),
    ],
    ['its provider', () => room.store.providers.remove(room.owner, providerId)],
  ])('counts as not chosen once %s is gone', (_what, remove) => {
    const main = addModels(room, ['main'])
    mustOk(assign(room, {}, 'main', { providerId: main, modelId: 'main' }))
    mustOk(assign(room, {}, 'small', { providerId, modelId: 'b' }))
    expect(find('small', {})).toEqual(['b', 'everywhere'])
    remove()
    expect(find('small', {})).toEqual(['main', 'main'])
  })

  it('counts as not chosen without the key that its service wants', () => {
    mustOk(assign(room, {}, 'main', { providerId, modelId: 'a' }))
    const keyless = addModels(room, ['x'], { kind: 'openai', baseUrl: 'https://api.openai.com/v1' })
    mustOk(assign(room, {}, 'small', { providerId: keyless, modelId: 'x' }))
    expect(find('small', {})).toEqual(['a', 'main'])
  })

  it.each<[string, () => Partial<RolePlace>, () => ModelChoice | null, string]>([
    ['a chat of nobody', () => ({ chatId: newId('chat') }), () => null, 'thing_unknown'],
    ['a project of nobody', () => ({ projectId: newId('project') }), () => null, 'thing_unknown'],
    ['a chat and a project', () => ({ chatId, projectId }), () => null, 'input_invalid'],
    ['a provider of nobody', () => ({}), () => ({ providerId: newId('provider'), modelId: 'a' }), 'provider_not_configured'],
    ['a model that its provider has not got', () => ({}), () => ({ providerId, modelId: 'z' }), 'model_not_configured'],
  ])('is not chosen for %s', (_what, place, model, code) => {
    expect(codeOf(assign(room, place(), 'small', model()))).toBe(code)
  })
})

describe('a run', () => {
  it('asks the model of its chat, and another one when it is told to', async () => {
    await using house = await openRunHouse([answersWith('One.'), answersWith('Two.'), answersWith('Three.')])
    const { room, endpoint } = house
    const providerId = addModels(room, ['other', 'third'], { baseUrl: endpoint.baseUrl })
    const run = mustOk(await room.start({}))
    await room.watch(run.id)
    mustOk(assign(room, { chatId: run.chatId }, 'main', { providerId, modelId: 'other' }))
    await room.watch(mustOk(await room.start({ chatId: run.chatId })).id)
    await room.watch(mustOk(await room.start({ chatId: run.chatId, model: { providerId, modelId: 'third' } })).id)
    expect(endpoint.received.map(({ body }) => body?.model)).toEqual(['scripted', 'other', 'third'])
  })

  it('has its summary from the small model, which is recorded and charged as that', async () => {
    await using house = await openRunHouse([answersWith('Blue.'), answersWith('Yes.'), answersWith('Still blue.')])
    await using small = await startScriptedEndpoint({
      steps: [streams([says('They spoke of blue.'), finishes('stop'), uses(1_000, 10)])],
    })
    const { room, endpoint } = house
    const providerId = addModels(room, ['tiny'], { kind: 'small-service', baseUrl: small.baseUrl })
    setPrice(room.store, room.owner, { kind: 'small-service', model: 'tiny', input: 1, cached: null, output: 1 })
    setPrice(room.store, room.owner, { kind: 'custom', model: 'scripted', input: 7, cached: null, output: 7 })
    mustOk(assign(room, {}, 'small', { providerId, modelId: 'tiny' }))
    const { chatId, id } = mustOk(await room.start({ prompt: `Name a colour. ${'word '.repeat(4_000)}` }))
    await room.watch(id)
    await room.watch(mustOk(await room.start({ prompt: 'Sure?', chatId })).id)
    const run = mustOk(await room.runs.compact({ ...room.owner, id: chatId, idempotencyKey: null }))
    await room.watch(run.id)
    expect([endpoint.received.length, small.received.map(({ body }) => body?.model)]).toEqual([2, ['tiny']])
    const beats = room.store.ledger.list(room.owner, { runId: run.id, limit: 100 }).items
    expect(beats).toContainEqual(
      expect.objectContaining({
        kind: 'request',
        payload: expect.objectContaining({ egress: expect.objectContaining({ endpoint: small.baseUrl, modelId: 'tiny' }) }),
      }),
    )
    const spent = room.store.charges.group(room.owner, 'model', { from: 0, limit: 10 })
    expect(spent.find(({ key }) => key === 'tiny')).toMatchObject({ calls: 1, nanos: 1_010 * 1_000 })
    await room.watch(mustOk(await room.start({ prompt: 'Which?', chatId })).id)
    expect(endpoint.received[2]?.raw.toString()).toContain('They spoke of blue.')
  })
})
