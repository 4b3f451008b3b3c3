import type { Frame, Outcome } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore } from '../../../tests/support/store.ts'

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const cancelled: Outcome = { kind: 'cancelled', steps: 0, calls: 0, filesChanged: [], usage, ms: 0 }
const lease = { now: 100, leaseMs: 50 }

describe('a run', () => {
  it('goes from queued to running to its end, and never changes again', async () => {
    await using temp = await openTempStore()
    const { runs } = temp.store
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    expect(runs.listActive(scope).map((run) => run.status)).toEqual(['queued'])
    expect(runs.begin(scope, scope.runId, 5)).toMatchObject({ value: { status: 'running', startedAt: 5 } })
    const ended = runs.end(scope, scope.runId, { outcome: cancelled, at: 6 })
    expect(ended).toMatchObject({ value: { status: 'cancelled', outcome: cancelled, endedAt: 6 } })
    for (const again of [runs.begin(scope, scope.runId, 7), runs.end(scope, scope.runId, { outcome: cancelled, at: 8 })]) {
      expect(again).toMatchObject({ refusal: { code: 'run_already_ended', details: { status: 'cancelled' } } })
    }
    expect(runs.listActive(scope)).toEqual([])
  })

  it('exists once an idempotency key, and is found by it after a restart', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const model = { providerId: 'p', modelId: 'm', label: 'l' }
    const draft = { chatId: scope.chatId, projectId: null, mode: 'act', model, fixture: true, createdAt: 2 } as const
    const run = temp.store.runs.create(scope, { ...draft, id: newId('run'), idempotencyKey: 'key-12345' })
    expect(() => temp.store.runs.create(scope, { ...draft, id: newId('run'), idempotencyKey: 'key-12345' })).toThrow()
    expect((await temp.reopen()).runs.findByIdempotencyKey(scope, 'key-12345')).toEqual(run)
    expect(temp.store.runs.findByIdempotencyKey(scope, 'key-54321')).toBe(null)
  })
})

describe('a claim', () => {
  it('is given once, also after it ended and after a restart', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const code = () => {
      const claimed = temp.store.executions.claim(scope, scope.runId, lease)
      return claimed.ok ? 'ok' : claimed.refusal.code
    }
    expect([code(), code()]).toEqual(['ok', 'run_already_claimed'])
    temp.store.executions.end(scope, scope.runId, 200)
    expect(code()).toBe('run_already_claimed')
    await temp.reopen()
    expect(code()).toBe('run_already_claimed')
  })

  it('names its owner, and is refused for a run that is not there', async () => {
    await using temp = await openTempStore()
    const { executions, bootId } = temp.store
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    expect(executions.claim(scope, scope.runId, lease)).toEqual({
      ok: true,
      value: { ...scope, projectId: null, pid: process.pid, bootId, claimedAt: 100, leaseUntil: 150, endedAt: null },
    })
    executions.heartbeat(scope, scope.runId, { now: 200, leaseMs: 50 })
    expect(temp.rows('SELECT leaseUntil FROM run_executions')).toEqual([{ leaseUntil: 250 }])
    expect(executions.claim(scope, newId('run'), lease)).toMatchObject({ refusal: { code: 'thing_unknown' } })
  })

  it('becomes an orphan when its server is gone, and only then', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const [claimed, waiting, done] = [addRun(temp.store, ann), addRun(temp.store, ann), addRun(temp.store, ann)]
    temp.store.executions.claim(claimed, claimed.runId, lease)
    temp.store.runs.begin(ann, claimed.runId, 2)
    temp.store.runs.end(ann, done.runId, { outcome: cancelled, at: 3 })
    expect(temp.store.executions.listOrphans()).toEqual([])
    await temp.reopen()
    const orphans = temp.store.executions.listOrphans()
    expect(orphans).toHaveLength(2)
    expect(orphans).toContainEqual({ ...claimed, projectId: null, claimed: true })
    expect(orphans).toContainEqual({ ...waiting, projectId: null, claimed: false })
  })
})

describe('the lease on a tree', () => {
  const tree = (root: string, ...above: string[]) => ({ root, above })

  it('is held by one run, given back, and free when its server is gone', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const code = (runId: string, root = '1:2') => {
      const taken = temp.store.leases.take(owner, tree(root), { runId, at: 1 })
      return taken.ok ? 'taken' : taken.refusal.code
    }
    expect([code('a'), code('a'), code('b')]).toEqual(['taken', 'taken', 'project_busy'])
    expect(code('b', '1:3')).toBe('taken')
    temp.store.leases.release('a')
    expect(code('b')).toBe('taken')
    await temp.reopen()
    expect(code('c')).toBe('taken')
  })

  it.each([
    ['the same directory', tree('1:5', '1:2', '1:1'), false],
    ['a directory inside', tree('1:9', '1:5', '1:2', '1:1'), false],
    ['a directory above', tree('1:2', '1:1'), false],
    ['a directory beside', tree('1:6', '1:2', '1:1'), true],
    ['the same number on another device', tree('2:5', '2:1'), true],
    ['a number that ends alike', tree('11:5', '1:1'), true],
  ])('is one with what overlaps, and free of what does not: %s', async (_, other, free) => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    expect(temp.store.leases.take(owner, tree('1:5', '1:2', '1:1'), { runId: 'a', at: 1 }).ok).toBe(true)
    expect(temp.store.leases.take(owner, other, { runId: 'b', at: 1 }).ok).toBe(free)
  })

  it('names the run that holds it to its owner, and to nobody else', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const bob = addUser(temp, 'bob')
    const { runId, chatId } = addRun(temp.store, ann)
    temp.store.leases.take(ann, tree('1:2'), { runId, at: 1 })
    const details = (owner: typeof ann) => {
      const taken = temp.store.leases.take(owner, tree('1:2'), { runId: 'b', at: 1 })
      return taken.ok ? null : taken.refusal.details
    }
    expect(details(ann)).toMatchObject({ runId, chatId })
    expect(details(bob)).toEqual({ holder: 'A run of somebody else' })
  })
})

describe('frames', () => {
  it('are read back after any number, in order, across a restart; a number twice is a fault', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const frames = [1, 2, 3, 4].map((number): Frame => ({ number, kind: 'text', step: 1, text: `word ${number}` }))
    await Promise.all([temp.store.frames.append(scope, frames.slice(0, 2)), temp.store.frames.append(scope, frames.slice(2))])
    await expect(temp.store.frames.append(scope, frames.slice(3))).rejects.toThrow()
    const { frames: reread } = await temp.reopen()
    expect(reread.read(scope, scope.runId, { after: 1, limit: 2 })).toEqual(frames.slice(1, 3))
    expect(reread.lastNumber(scope, scope.runId)).toBe(4)
  })
})

describe('an idempotency key', () => {
  const key = { operation: 'chat.create', key: 'key-12345' }
  const first = { digest: 'd1', at: 1 }

  it('is taken once, then pending, then answered; with another request it is reused', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const { idempotency } = temp.store
    const kind = (request = first) => idempotency.begin(ann, key, request).kind
    expect([kind(), kind(), kind({ digest: 'd2', at: 2 })]).toEqual(['new', 'pending', 'reused'])
    idempotency.finish(ann, key, '{"chat":1}')
    expect(idempotency.begin(ann, key, first)).toEqual({ kind: 'answered', reply: '{"chat":1}' })
    expect(idempotency.begin(addUser(temp, 'bob'), key, first).kind).toBe('new')
    expect(idempotency.begin(ann, { ...key, operation: 'run.start' }, first).kind).toBe('new')
  })

  it('is free again after a refusal, after the server died before answering, and after it was forgotten', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const kind = () => temp.store.idempotency.begin(ann, key, first).kind
    kind()
    temp.store.idempotency.release(ann, key)
    expect(kind()).toBe('new')
    await temp.reopen()
    expect(kind()).toBe('new')
    temp.store.idempotency.finish(ann, key, 'x')
    temp.store.idempotency.release(ann, key)
    expect(kind()).toBe('answered')
    temp.store.idempotency.removeBefore(2)
    expect(kind()).toBe('new')
  })
})
