import type { Result } from '@bridlewise/shared/refusals'
import type { Outcome } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore } from '../../../tests/support/store.ts'
import type { Owner } from '../pages.ts'
import type { Store } from '../store.ts'
import { sharesPerProject } from './shares.ts'

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

describe('a write for somebody who is gone', () => {
  it.each<readonly [string, (store: Store, owner: Owner) => unknown]>([
    ['a chat', (store, owner) => store.chats.create(owner, { id: newId('chat'), title: 'a', projectId: null, createdAt: 1 })],
    ['a project', addProject],
    ['a provider', (store, owner) => addProvider(store, owner, null)],
    ['a run', addRun],
    ['a setting', (store, owner) => store.settings.set(owner, 'chosenModel', { providerId: 'p', modelId: 'm' })],
  ])('has a name: %s', async (_, write) => {
    await using temp = await openTempStore()
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    temp.store.users.remove(bob.userId)
    expect(() => write(temp.store, ann)).not.toThrow()
    expect(() => write(temp.store, bob)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ code: 'thing_gone' }) }),
    )
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

  it('cannot go while a run works in it; then its chats go with it, and others stay', async () => {
    await using temp = await openTempStore()
    const { store } = temp
    const ann = addUser(temp, 'ann')
    const project = addProject(store, ann)
    const projectId = project.ok ? project.value.id : ''
    const [inside, visiting, elsewhere] = [addRun(store, ann), addRun(store, ann), addRun(store, ann)]
    temp.change('UPDATE chats SET projectId = ? WHERE id = ?', projectId, inside.chatId)
    temp.change('UPDATE runs SET projectId = ? WHERE id = ?', projectId, visiting.runId)
    expect(store.projects.contents(ann, projectId)).toEqual({ ok: true, value: { chats: 2, runs: 2, shares: 0 } })
    for (const { runId } of [inside, visiting]) {
      expect(store.projects.remove(ann, projectId)).toMatchObject({ refusal: { code: 'project_busy' } })
      store.runs.end(ann, runId, { outcome: completed, at: 3 })
    }
    expect(store.projects.remove(ann, projectId)).toMatchObject({ ok: true })
    expect(store.chats.list(ann, { limit: 9 }).items.map(({ id }) => id)).toEqual([elsewhere.chatId])
    expect(temp.rows('SELECT chatId FROM erasures ORDER BY chatId')).toEqual(
      [inside.chatId, visiting.chatId].sort().map((chatId) => ({ chatId })),
    )
  })
})

describe('a shared project', () => {
  async function openShared() {
    const temp = await openTempStore()
    const { store } = temp
    const [ann, bob, eve] = [addUser(temp, 'ann'), addUser(temp, 'bob'), addUser(temp, 'eve')]
    const project = addProject(store, ann)
    const projectId = project.ok ? project.value.id : ''
    const share = (username: string) => store.shares.add(ann, { id: newId('share'), projectId, username, createdAt: 1 })
    const reach = (who: Owner) => store.projects.reach(who, projectId)
    return { temp, store, ann, bob, eve, projectId, share, reach, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() }
  }

  it('is reached by whoever it is shared with and by nobody else, and stays its owner’s', async () => {
    await using room = await openShared()
    const { store, ann, bob, eve, projectId } = room
    expect(room.share('BOB')).toMatchObject({ ok: true, value: { username: 'BOB' } })
    expect(room.reach(ann)).toMatchObject({ id: projectId, sharedBy: null, sharedWith: 1 })
    expect(room.reach(bob)).toMatchObject({ id: projectId, sharedBy: 'ann', sharedWith: 0 })
    expect(room.reach(eve)).toBe(null)
    expect([ann, bob, eve].map((who) => store.projects.list(who).length)).toEqual([1, 1, 0])
    expect(store.projects.get(bob, projectId)).toBe(null)
    const tries = [
      store.projects.remove(bob, projectId),
      store.projects.contents(bob, projectId),
      store.shares.list(bob, projectId),
      store.shares.add(bob, { id: newId('share'), projectId, username: 'eve', createdAt: 1 }),
    ]
    for (const tried of tries) expect(tried).toMatchObject({ refusal: { code: 'thing_unknown' } })
    expect(store.shares.list(ann, projectId)).toMatchObject({ ok: true, value: [{ username: 'BOB' }] })
  })

  it('answers for a name that nobody has like for one that somebody has, and gives nothing to who takes it later', async () => {
    await using room = await openShared()
    const [known, unknown] = [room.share('bob'), room.share('zoe')]
    const shape = (shared: typeof known) => (shared.ok ? Object.keys(shared.value) : shared.refusal.code)
    expect(shape(unknown)).toEqual(shape(known))
    const zoe = addUser(room.temp, 'zoe')
    expect(room.reach(zoe)).toBe(null)
    const again = room.share('zoe')
    expect(again).toEqual(unknown)
    expect(room.reach(zoe)).not.toBe(null)
  })

  it.each<readonly [string, (room: Awaited<ReturnType<typeof openShared>>) => unknown]>([
    [
      'its owner ends the share',
      ({ store, ann, projectId }) => store.shares.end(ann, { projectId, shareId: firstShare(store, ann, projectId) }),
    ],
    ['its owner ends all shares of it', ({ store, ann, projectId }) => store.shares.endAll(ann, projectId)],
    ['its owner ends all shares', ({ store, ann }) => store.shares.endAll(ann, null)],
    ['its guest gives it back', ({ store, bob, projectId }) => store.shares.leave(bob, projectId)],
    ['it is removed', ({ store, ann, projectId }) => store.projects.remove(ann, projectId)],
    ['its owner is removed', ({ store, ann }) => store.users.remove(ann.userId)],
  ])('is no longer reached when %s', async (_, act) => {
    await using room = await openShared()
    room.share('bob')
    expect(room.reach(room.bob)).not.toBe(null)
    act(room)
    expect(room.reach(room.bob)).toBe(null)
  })

  it('is not ended by a guest, by a stranger, or through another project', async () => {
    await using room = await openShared()
    const { store, ann, bob, projectId } = room
    room.share('bob')
    const shareId = firstShare(store, ann, projectId)
    const other = addProject(store, bob, { inode: '7' })
    const others = other.ok ? other.value.id : ''
    for (const [who, through] of [
      [bob, projectId],
      [bob, others],
      [ann, others],
    ] as const) {
      expect(store.shares.end(who, { projectId: through, shareId })).toMatchObject({ refusal: { code: 'thing_unknown' } })
    }
    store.shares.endAll(bob, projectId)
    expect(store.shares.leave(ann, projectId)).toMatchObject({ refusal: { code: 'thing_unknown' } })
    expect(room.reach(bob)).not.toBe(null)
  })

  it('leaves a guest their chats when it goes, and none of them is the owner’s to count or to erase', async () => {
    await using room = await openShared()
    const { temp, store, ann, bob, projectId } = room
    room.share('bob')
    const theirs = addRun(store, bob)
    temp.change('UPDATE chats SET projectId = ?', projectId)
    temp.change('UPDATE runs SET projectId = ?', projectId)
    expect(store.projects.contents(ann, projectId)).toEqual({ ok: true, value: { chats: 0, runs: 0, shares: 1 } })
    expect(store.projects.listGuestRuns(ann)).toEqual([{ userId: bob.userId, runId: theirs.runId, projectId }])
    expect(store.projects.listGuestRuns(bob)).toEqual([])
    expect(store.projects.remove(ann, projectId)).toMatchObject({ refusal: { code: 'project_busy' } })
    store.runs.end(bob, theirs.runId, { outcome: completed, at: 3 })
    expect(store.projects.remove(ann, projectId)).toMatchObject({ ok: true })
    expect(store.chats.get(bob, theirs.chatId)).toMatchObject({ projectId: null })
    expect(store.runs.get(bob, theirs.runId)).toMatchObject({ projectId: null, outcome: completed })
  })

  it('is shared with so many people and no more, until one of them goes', async () => {
    await using room = await openShared()
    for (let n = 1; n <= sharesPerProject; n += 1) expect(room.share(`name${n}`).ok).toBe(true)
    expect(room.share('bob')).toMatchObject({ refusal: { code: 'project_shares_full', details: { limit: sharesPerProject } } })
    expect(room.share('name1').ok).toBe(true)
    const { store, ann, projectId } = room
    store.shares.end(ann, { projectId, shareId: firstShare(store, ann, projectId) })
    expect(room.share('bob').ok).toBe(true)
  })
})

function firstShare(store: Store, owner: Owner, projectId: string): string {
  const shares = store.shares.list(owner, projectId)
  return shares.ok ? (shares.value[0]?.id ?? '') : ''
}

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
