import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore } from '../../../tests/support/store.ts'
import type { DepartureDraft } from './departures.ts'

function part(text: string): DepartureDraft['fresh'][number] {
  const digest = hash('sha256', text)
  return { part: { kind: 'user', bytes: text.length, digest, tool: null, callId: null, files: [] }, text }
}

function draft(step: number, { same, fresh }: { same: number; fresh: string[] }): DepartureDraft {
  const counts = { bytes: 1, messages: 1, tools: 0, redactions: {} }
  const egress = { endpoint: 'http://127.0.0.1:1/v1', modelId: 'm', digest: 'd', fixture: false, ...counts }
  return { id: newId('departure'), step, at: step, egress, purpose: 'answer', same, fresh: fresh.map(part) }
}

const digests = (texts: readonly string[]) => texts.map((text) => hash('sha256', text))

describe('what left for a model', () => {
  it('is read back whole, though each request names only what is new in it', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const { departures } = temp.store
    await departures.append(scope, draft(1, { same: 0, fresh: ['system', 'ask', 'tools'] }))
    await departures.append(scope, draft(2, { same: 2, fresh: ['answer', 'tools'] }))
    await departures.append(scope, draft(3, { same: 1, fresh: ['summary'] }))
    await temp.reopen()
    const kept = temp.store.departures.ofRun(scope, scope.runId)
    expect(kept.ok && kept.value.map(({ held }) => held.map(({ digest }) => digest))).toEqual([
      digests(['system', 'ask', 'tools']),
      digests(['system', 'ask', 'answer', 'tools']),
      digests(['system', 'summary']),
    ])
    expect(temp.rows('SELECT count(*) AS texts FROM departed_texts')).toEqual([{ texts: 5 }])
  })

  it('keeps two runs of one chat apart, and its texts once', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const first = addRun(temp.store, owner)
    const second = { ...first, runId: newId('run') }
    await temp.store.departures.append(first, draft(1, { same: 0, fresh: ['system', 'one'] }))
    await temp.store.departures.append(second, draft(1, { same: 0, fresh: ['system', 'two'] }))
    await temp.store.departures.append(first, draft(2, { same: 2, fresh: ['three'] }))
    const kept = temp.store.departures.ofChat(owner, first.chatId)
    expect(kept.map(({ held }) => held.length)).toEqual([2, 2, 3])
    expect(temp.store.departures.texts(owner, { before: 1e15, limit: 2 }).map(({ text }) => text)).toEqual(['three', 'two'])
    expect(temp.rows('SELECT count(*) AS texts FROM departed_texts')).toEqual([{ texts: 4 }])
  })

  it('is listed page by page, the newest first, of one project or of all', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const scope = addRun(temp.store, owner)
    const { departures } = temp.store
    for (const step of [1, 2, 3]) await departures.append(scope, draft(step, { same: step - 1, fresh: [`text ${step}`] }))
    const first = departures.recent(owner, { limit: 2 })
    expect(first.items.map(({ step, parts }) => [step, parts])).toEqual([
      [3, 3],
      [2, 2],
    ])
    const rest = departures.recent(owner, { limit: 2, after: first.next })
    expect([rest.items.map(({ step }) => step), rest.next]).toEqual([[1], undefined])
    expect(departures.recent(owner, { limit: 9, projectId: newId('project') }).items).toEqual([])
  })

  it('is kept of a probe too, which belongs to no chat, for its account and as long as that is there', async () => {
    await using temp = await openTempStore()
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    const { departures } = temp.store
    const { id, step, at, egress } = draft(1, { same: 0, fresh: [] })
    await departures.appendProbe(ann, { id, step, at, egress })
    await departures.append(addRun(temp.store, bob), draft(1, { same: 0, fresh: ['his'] }))
    await temp.reopen()
    const told = temp.store.departures.recent(ann, { limit: 9 }).items
    expect(told.map(({ purpose, runId, chatId, parts }) => [purpose, runId, chatId, parts])).toEqual([['probe', null, null, 1]])
    expect(temp.store.departures.chats(ann)).toEqual([])
    expect(temp.store.departures.recent(bob, { limit: 9 }).items.map(({ purpose }) => purpose)).toEqual(['answer'])
    expect(temp.store.users.remove(ann.userId).ok).toBe(true)
    expect(temp.rows('SELECT count(*) AS left FROM departures WHERE chatId IS NULL')).toEqual([{ left: 0 }])
  })

  it("is its owner's alone", async () => {
    await using temp = await openTempStore()
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    const scope = addRun(temp.store, ann)
    const { departures } = temp.store
    await departures.append(scope, draft(1, { same: 0, fresh: ['hers'] }))
    expect(departures.recent(bob, { limit: 9 }).items).toEqual([])
    expect(departures.ofRun(bob, scope.runId)).toMatchObject({ refusal: { code: 'thing_unknown' } })
    expect([
      departures.ofChat(bob, scope.chatId),
      departures.chats(bob),
      departures.texts(bob, { before: 1e15, limit: 9 }),
    ]).toEqual([[], [], []])
    expect(departures.chats(ann)).toEqual([scope.chatId])
  })

  it('is gone with its chat, from every row', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const scope = addRun(temp.store, owner)
    await temp.store.departures.append(scope, draft(1, { same: 0, fresh: ['gone'] }))
    temp.store.runs.end(scope, scope.runId, {
      outcome: {
        kind: 'completed',
        steps: 1,
        calls: 0,
        filesChanged: [],
        usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
        ms: 1,
      },
      at: 2,
    })
    temp.store.chats.remove(owner, scope.chatId)
    expect(temp.store.departures.texts(owner, { before: 1e15, limit: 9 })).toEqual([])
    while (temp.store.erasure.step());
    expect(temp.rows('SELECT (SELECT count(*) FROM departures) + (SELECT count(*) FROM departed_texts) AS n')).toEqual([{ n: 0 }])
  })
})

describe('rules of what must not be sent', () => {
  it('hold in a run of their owner, in their own project, and in a shared one as its owner made them', async () => {
    await using temp = await openTempStore()
    const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
    const { egressRules, projects } = temp.store
    const project = { name: 'p', path: '/p', device: '1', inode: '2', demo: false, createdAt: 1 }
    const [id, other] = [newId('project'), newId('project')]
    projects.create(ann, { ...project, id })
    projects.create(ann, { ...project, id: other, path: '/q', inode: '3' })
    const add = (owner: typeof ann, pattern: string, projectId: string | null) =>
      egressRules.add(owner, { id: newId('rule'), projectId, rule: { kind: 'path', pattern }, createdAt: 1 })
    add(ann, 'everywhere', null)
    add(ann, 'here', id)
    add(ann, 'elsewhere', other)
    add(bob, "bob's", null)
    const inForce = (runner: typeof ann, projectId: string | null) =>
      egressRules
        .inForce(runner, projectId)
        .map(({ rule }) => (rule.kind === 'path' ? rule.pattern : ''))
        .sort()
    expect(inForce(ann, id)).toEqual(['everywhere', 'here'])
    expect(inForce(bob, id)).toEqual(["bob's", 'everywhere', 'here'])
    expect(inForce(bob, null)).toEqual(["bob's"])
    const [mine] = egressRules.list(ann)
    expect(egressRules.remove(bob, mine?.id ?? '')).toMatchObject({ refusal: { code: 'thing_unknown' } })
    expect(egressRules.remove(ann, mine?.id ?? '').ok).toBe(true)
    expect(egressRules.list(ann)).toHaveLength(2)
  })
})
