import { randomBytes } from 'node:crypto'
import type { Provider } from '@bridlewise/shared'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { codeOf, mustOk, openRunRoom, type RunRoom } from '../../tests/support/run-room.ts'
import { answers } from '../../tests/support/script.ts'
import { startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { addUser, newId } from '../../tests/support/store.ts'
import type { CallContext } from '../projection/index.ts'
import { createProbes } from '../providers/index.ts'
import { createProviderHandlers } from './provider.ts'

let room: RunRoom
let context: CallContext
let handlers: ReturnType<typeof createProviderHandlers>
beforeEach(async () => {
  room = await openRunRoom()
  context = contextOf(room.owner)
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const shared = { store: room.store, bridge: room.bridge, clock, ids: { next: newId } }
  const probes = createProbes({ ...shared, reportFault: () => 'fault' })
  handlers = createProviderHandlers({ ...shared, probes, fixtures: false })
})
afterEach(() => room[Symbol.asyncDispose]())

const local = { name: 'Local', kind: 'ollama', baseUrl: '', models: ['small', 'large', 'small'] }

async function add(more: Partial<Parameters<typeof handlers.create>[1]> = {}): Promise<Provider> {
  return mustOk(await handlers.create(context, { ...local, ...more })).provider
}

const chosen = async () => mustOk(await handlers.list(context, {})).chosen

describe('a provider', () => {
  it('of a known kind has its usual address unless another is given', async () => {
    expect(await add()).toMatchObject({ baseUrl: 'http://127.0.0.1:11434/v1', models: ['small', 'large'], fixture: false })
    expect(await add({ baseUrl: 'http://192.168.1.9:11434/v1/' })).toMatchObject({ baseUrl: 'http://192.168.1.9:11434/v1' })
  })

  it('shows of its key that it is stored, and the last four characters', async () => {
    const apiKey = `gsk_${randomBytes(26).toString('hex')}`
    await using endpoint = await startScriptedEndpoint({ steps: [] })
    const provider = await add({ kind: 'groq', baseUrl: endpoint.baseUrl, apiKey })
    expect(provider.key).toEqual({ stored: true, tail: apiKey.slice(-4) })
    const shown = JSON.stringify([provider, await handlers.list(context, {}), await handlers.presets(context, {})])
    expect(shown).not.toContain(apiKey.slice(0, 20))
    expect(room.store.providers.keyOf(room.owner, provider.id)).toBe(apiKey)
  })

  it('takes a key as it was pasted, unless it cannot be one', async () => {
    const provider = await add({ apiKey: ' pasted-key\n' })
    expect(room.store.providers.keyOf(room.owner, provider.id)).toBe('pasted-key')
    expect(codeOf(await handlers.create(context, { ...local, apiKey: 'two\r\nlines: 1' }))).toBe('input_invalid')
    for (const apiKey of [' ', '****-key', '\u2022\u2022\u2022\u2022-key']) {
      expect(codeOf(await handlers.update(context, { providerId: provider.id, apiKey }))).toBe('input_invalid')
    }
    expect(room.store.providers.keyOf(room.owner, provider.id)).toBe('pasted-key')
    expect(mustOk(await handlers.update(context, { providerId: provider.id, apiKey: null })).provider.key.stored).toBe(false)
  })

  it('of recorded words needs nothing and stores no key', async () => {
    const demo = await add({ kind: 'demo', models: [], apiKey: 'not-needed' })
    expect(demo).toMatchObject({ baseUrl: '', models: ['demo'], fixture: true, key: { stored: false, tail: null } })
  })

  it('at an address that cannot be used is not made', async () => {
    const made = await handlers.create(context, { ...local, baseUrl: 'http://models.example.com/v1' })
    expect(codeOf(made)).toBe('provider_address_invalid')
    expect(codeOf(await handlers.create(context, { ...local, kind: 'custom' }))).toBe('provider_address_invalid')
    expect(mustOk(await handlers.list(context, {})).providers).toEqual([])
  })

  it('of somebody else is not there', async () => {
    const { id } = await add()
    const other = contextOf(addUser(room.temp, 'bob'))
    expect(codeOf(await handlers.update(other, { providerId: id, name: 'Mine' }))).toBe('thing_unknown')
    expect(codeOf(await handlers.remove(other, { providerId: id }))).toBe('thing_unknown')
    expect(codeOf(await handlers.choose(other, { model: { providerId: id, modelId: 'small' } }))).toBe('provider_not_configured')
    expect(mustOk(await handlers.list(other, {}))).toEqual({ providers: [], chosen: null, recordedOnly: false, probe: null })
  })
})

describe('a key', () => {
  const openAnd = (models: number) =>
    startScriptedEndpoint({ models: models === 200 ? ['a'] : answers(models).answer, steps: [] })

  it.each([401, 403])('that an endpoint answers with %i is not stored', async (status) => {
    await using endpoint = await openAnd(status)
    const made = await handlers.create(context, { ...local, baseUrl: endpoint.baseUrl, apiKey: 'wrong-key' })
    expect(codeOf(made)).toBe('endpoint_unauthorized')
    expect(mustOk(await handlers.list(context, {})).providers).toEqual([])
    const { id: providerId } = await add({ baseUrl: endpoint.baseUrl })
    expect(codeOf(await handlers.update(context, { providerId, apiKey: 'wrong-key' }))).toBe('endpoint_unauthorized')
    expect(room.store.providers.keyOf(room.owner, providerId)).toBeNull()
  })

  it.each([
    [200, 'accepted'],
    [404, 'not_checked'],
    [500, 'not_checked'],
  ])('that an endpoint answers with %i is stored as %s', async (status, keyCheck) => {
    await using endpoint = await openAnd(status)
    const made = mustOk(await handlers.create(context, { ...local, baseUrl: endpoint.baseUrl, apiKey: 'some-key' }))
    expect(made).toMatchObject({ keyCheck, provider: { key: { stored: true } } })
  })

  it('is stored unchecked when nobody answers', async () => {
    const gone = await startScriptedEndpoint({ steps: [] })
    await gone.close()
    const made = mustOk(await handlers.create(context, { ...local, baseUrl: gone.baseUrl, apiKey: 'some-key' }))
    expect(made).toMatchObject({ keyCheck: 'not_checked', provider: { key: { stored: true } } })
  })
})

describe('the profile of a model', () => {
  it('is what the documentation says until another is taken over, and again when that is forgotten', async () => {
    const { id: providerId } = await add()
    const model = { providerId, modelId: 'small' }
    const documented = mustOk(await handlers.profile(context, model))
    expect(documented).toMatchObject({ source: 'documentation', at: null, profile: { streaming: true } })
    const profile = { ...documented.profile, outputLimit: 'none' as const }
    mustOk(await handlers.importProfile(context, { ...model, profile }))
    expect(mustOk(await handlers.profile(context, model))).toMatchObject({ source: 'imported', profile })
    expect(mustOk(await handlers.profile(context, { providerId, modelId: 'large' })).source).toBe('documentation')
    mustOk(await handlers.forgetProfile(context, model))
    expect(mustOk(await handlers.profile(context, model))).toEqual(documented)
  })

  it('of somebody else is not there, and neither is that of a model nobody named', async () => {
    const { id: providerId } = await add()
    const other = contextOf(addUser(room.temp, 'bob'))
    expect(codeOf(await handlers.profile(other, { providerId, modelId: 'small' }))).toBe('thing_unknown')
    expect(codeOf(await handlers.forgetProfile(other, { providerId, modelId: 'small' }))).toBe('thing_unknown')
    expect(codeOf(await handlers.probe(other, { providerId, modelId: 'small' }))).toBe('thing_unknown')
    expect(codeOf(await handlers.profile(context, { providerId, modelId: 'huge' }))).toBe('model_not_configured')
    expect(codeOf(await handlers.probe(context, { providerId, modelId: 'huge' }))).toBe('model_not_configured')
  })

  it('goes with its provider', async () => {
    const { id: providerId } = await add()
    const model = { providerId, modelId: 'small' }
    const { profile } = mustOk(await handlers.profile(context, model))
    mustOk(await handlers.importProfile(context, { ...model, profile }))
    mustOk(await handlers.remove(context, { providerId }))
    expect(room.store.settings.get(room.owner, 'profiles')).toEqual([])
  })
})

describe('the chosen model', () => {
  it('is the first model of the first provider, until another is chosen', async () => {
    const { id: providerId } = await add()
    await add()
    expect(await chosen()).toEqual({ providerId, modelId: 'small' })
    const model = { providerId, modelId: 'large' }
    expect(mustOk(await handlers.choose(context, { model })).chosen).toEqual(model)
    expect(await chosen()).toEqual(model)
    expect(codeOf(await handlers.choose(context, { model: { providerId, modelId: 'huge' } }))).toBe('model_not_configured')
  })

  it('moves when its provider loses it, and goes when nothing is left', async () => {
    const { id: providerId } = await add()
    mustOk(await handlers.update(context, { providerId, models: ['large'] }))
    expect(await chosen()).toEqual({ providerId, modelId: 'large' })
    mustOk(await handlers.update(context, { providerId, models: [] }))
    expect(await chosen()).toBeNull()
  })

  it('goes with its provider', async () => {
    const { id: providerId } = await add()
    mustOk(await handlers.remove(context, { providerId }))
    expect(await chosen()).toBeNull()
  })
})

it('models are asked for at the address that was typed', async () => {
  await using endpoint = await startScriptedEndpoint({ models: ['b', 'a'], steps: [] })
  expect(mustOk(await handlers.listModels(context, { kind: 'custom', baseUrl: endpoint.baseUrl })).models).toEqual(['b', 'a'])
  expect(codeOf(await handlers.listModels(context, { kind: 'custom', baseUrl: 'http://169.254.169.254' }))).toBe(
    'provider_address_invalid',
  )
})

it('models are asked for with a stored key at its own address, whatever address is named', async () => {
  await using own = await startScriptedEndpoint({ models: ['own'], steps: [] })
  await using named = await startScriptedEndpoint({ models: ['named'], steps: [] })
  const { id: providerId } = await add({ baseUrl: own.baseUrl, apiKey: 'stored-key' })
  const ask = { kind: 'custom', baseUrl: named.baseUrl, providerId }
  expect(mustOk(await handlers.listModels(context, ask)).models).toEqual(['own'])
  expect(named.all).toEqual([])
  expect(own.all.at(-1)?.headers['authorization']).toBe('Bearer stored-key')
  const other = contextOf(addUser(room.temp, 'bob'))
  expect(codeOf(await handlers.listModels(other, ask))).toBe('thing_unknown')
})

it('a look around this machine asks each usual port once', async () => {
  const { asked, found } = mustOk(await handlers.discover(context, {}))
  expect(asked.map(({ name }) => name)).toEqual(['Ollama', 'LM Studio', 'llama.cpp', 'vLLM'])
  expect(found.length).toBeLessThanOrEqual(4)
})
