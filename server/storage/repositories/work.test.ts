import type { Result } from '@bridlewise/shared/refusals'
import type { Outcome } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore } from '../../../tests/support/store.ts'
import type { Owner } from '../pages.ts'
import type { Store } from '../store.ts'

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const completed: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: ['a.ts'], usage, ms: 3 }

function addProject(store: Store, owner: Owner, change: object = {}) {
  const pin = { path: '/home/ann/app', device: '66306', inode: '18446744073709551615' }
  return store.projects.create(owner, { id: newId('project'), name: 'app', ...pin, demo: false, createdAt: 1, ...change })
}

function addProvider(store: Store, owner: Owner, apiKey: string | null) {
  const rest = { name: 'one', kind: 'openai', baseUrl: 'https://user:pass@model.test/v1', models: ['m1', 'm2'], createdAt: 1 }
  return store.providers.create(owner, { id: newId('provider'), apiKey, ...rest })
}

describe('owned things', () => {
  it('are found by their owner and answer anyone else as if they were absent', async () => {
    await using temp = await openTempStore()
    const { store } = temp
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    const scope = addRun(store, ann)
    const project = addProject(store, ann)
    const provider = addProvider(store, ann, 'k-123456789012')
    const projectId = project.ok ? project.value.id : ''
    store.messages.add(ann, { id: newId('message'), ...scope, role: 'user', text: 'hello', createdAt: 1 })
    const { ref } = store.blobs.put(ann, { id: newId('blob'), runId: scope.runId, text: 'whole', createdAt: 1 })
    await store.frames.append(scope, [{ number: 1, kind: 'text', step: 1, text: 'a' }])
    store.settings.set(ann, 'chosenModel', { providerId: provider.id, modelId: 'm1' })

    const seen = (owner: Owner) => [
      store.chats.get(owner, scope.chatId)?.id ?? null,
      store.chats.list(owner, { limit: 9 }).items.length,
      store.runs.get(owner, scope.runId)?.id ?? null,
      store.runs.list(owner, { limit: 9 }).items.length,
      store.runs.list(owner, { chatId: scope.chatId, limit: 9 }).items.length,
      store.runs.getMany(owner, [scope.runId]).length,
      store.messages.list(owner, scope.chatId, { limit: 9 }).items.length,
      store.projects.get(owner, projectId)?.id ?? null,
      store.providers.get(owner, provider.id)?.id ?? null,
      store.providers.keyOf(owner, provider.id),
      store.providers.secrets(owner).length,
      wholeOf(store.blobs.get(owner, ref)),
      store.frames.read(owner, scope.runId, { after: 0, limit: 9 }).length,
      store.frames.lastNumber(owner, scope.runId),
      store.settings.get(owner, 'chosenModel')?.modelId ?? null,
    ]
    expect(seen(ann)).toEqual([
      ...[scope.chatId, 1, scope.runId, 1, 1, 1, 1, projectId, provider.id, 'k-123456789012', 1, 'whole', 1, 1, 'm1'],
    ])
    expect(seen(bob)).toEqual([null, 0, null, 0, 0, 0, 0, null, null, null, 0, null, 0, 0, null])

    const tries = (owner: Owner) => [
      store.chats.rename(owner, scope.chatId, 'renamed'),
      store.providers.update(owner, provider.id, { name: 'renamed' }),
      store.runs.begin(owner, scope.runId, 2),
      store.runs.end(owner, scope.runId, { outcome: completed, at: 3 }),
      store.projects.remove(owner, projectId),
      store.providers.remove(owner, provider.id),
      store.chats.remove(owner, scope.chatId),
    ]
    const codes = (owner: Owner) => tries(owner).map((tried) => (tried.ok ? 'done' : tried.refusal.code))
    expect(codes(bob)).toEqual(Array(7).fill('thing_unknown'))
    expect(codes(ann)).toEqual(Array(7).fill('done'))
  })
})

function wholeOf(result: Result<string>): string | null {
  return result.ok ? result.value : null
}

describe('a project', () => {
  it('is taken once a path and directory, and may be added anew when the directory was replaced', async () => {
    await using temp = await openTempStore()
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    expect(addProject(temp.store, ann)).toMatchObject({ ok: true, value: { inode: '18446744073709551615' } })
    expect(addProject(temp.store, ann)).toMatchObject({ refusal: { code: 'project_path_taken', details: { name: 'app' } } })
    expect(addProject(temp.store, ann, { inode: '7' })).toMatchObject({ ok: true })
    expect(addProject(temp.store, bob)).toMatchObject({ ok: true })
  })

  it('cannot go while a run works in it; afterwards its chats and runs stay without it', async () => {
    await using temp = await openTempStore()
    const { store } = temp
    const ann = addUser(temp, 'ann')
    const project = addProject(store, ann)
    const projectId = project.ok ? project.value.id : ''
    const scope = addRun(store, ann)
    temp.change('UPDATE runs SET projectId = ?', projectId)
    expect(store.projects.remove(ann, projectId)).toMatchObject({ refusal: { code: 'project_busy' } })
    store.runs.end(ann, scope.runId, { outcome: completed, at: 3 })
    expect(store.projects.remove(ann, projectId)).toMatchObject({ ok: true })
    expect(store.runs.get(ann, scope.runId)).toMatchObject({ projectId: null, outcome: completed })
  })
})

describe('a provider', () => {
  it.each([
    [null, { stored: false, tail: null }],
    ['short', { stored: true, tail: null }],
    ['k-1234567890', { stored: true, tail: '7890' }],
  ])('shows of the key %s only whether it is there and its tail', async (apiKey, shown) => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const provider = addProvider(temp.store, ann, apiKey)
    expect(provider).toMatchObject({ key: shown, baseUrl: 'https://user:pass@model.test/v1', fixture: false })
    expect(temp.store.providers.keyOf(ann, provider.id)).toBe(apiKey)
  })

  it('keeps its key unless a new one or null is given', async () => {
    await using temp = await openTempStore()
    const { providers } = temp.store
    const ann = addUser(temp, 'ann')
    const { id } = addProvider(temp.store, ann, 'first')
    const keyAfter = (change: object) => {
      providers.update(ann, id, change)
      return providers.keyOf(ann, id)
    }
    expect(keyAfter({ name: 'renamed', models: ['m3'] })).toBe('first')
    expect(providers.get(ann, id)).toMatchObject({ name: 'renamed', models: ['m3'] })
    expect(keyAfter({ apiKey: 'second' })).toBe('second')
    expect(keyAfter({ apiKey: null })).toBe(null)
  })

  it('takes the choice of its model with it, and leaves that of another', async () => {
    await using temp = await openTempStore()
    const { providers, settings } = temp.store
    const ann = addUser(temp, 'ann')
    const [one, two] = [addProvider(temp.store, ann, null), addProvider(temp.store, ann, null)]
    settings.set(ann, 'chosenModel', { providerId: two.id, modelId: 'm1' })
    providers.remove(ann, one.id)
    expect(settings.get(ann, 'chosenModel')).toEqual({ providerId: two.id, modelId: 'm1' })
    providers.remove(ann, two.id)
    expect(settings.get(ann, 'chosenModel')).toBe(null)
  })
})

describe('chats and messages', () => {
  it('list the latest use first, page by page, each once', async () => {
    await using temp = await openTempStore()
    const { chats } = temp.store
    const ann = addUser(temp, 'ann')
    const ids = Array.from({ length: 5 }, () => newId('chat'))
    for (const id of ids) chats.create(ann, { id, title: id, projectId: null, createdAt: 7 })
    chats.touch(ann, ids[2] ?? '', 8)
    const first = chats.list(ann, { limit: 3 })
    const rest = chats.list(ann, { limit: 3, after: first.next })
    const seen = [...first.items, ...rest.items].map((chat) => chat.title)
    expect(seen[0]).toBe(ids[2])
    expect([...seen].sort()).toEqual([...ids].sort())
    expect(rest.next).toBe(undefined)
    expect(chats.list(ann, { limit: 3, after: 'nonsense' }).items).toEqual([])
  })

  it('show the newest messages first and inside a page the oldest first', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    for (const text of ['1', '2', '3', '4', '5']) {
      temp.store.messages.add(scope, { id: newId('message'), ...scope, role: 'user', text, createdAt: 1 })
    }
    const newest = temp.store.messages.list(scope, scope.chatId, { limit: 3 })
    const older = temp.store.messages.list(scope, scope.chatId, { limit: 3, after: newest.next })
    expect([newest, older].map((page) => page.items.map((message) => message.text))).toEqual([
      ['3', '4', '5'],
      ['1', '2'],
    ])
    expect(older.next).toBe(undefined)
  })

  it('cannot be removed while a run is active', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    expect(temp.store.chats.get(scope, scope.chatId)).toMatchObject({ activeRunId: scope.runId, turns: 1 })
    expect(temp.store.chats.remove(scope, scope.chatId)).toMatchObject({ refusal: { code: 'chat_busy' } })
    temp.store.runs.end(scope, scope.runId, { outcome: completed, at: 2 })
    expect(temp.store.chats.remove(scope, scope.chatId)).toMatchObject({ ok: true })
    expect(temp.store.runs.get(scope, scope.runId)).toBe(null)
  })
})
