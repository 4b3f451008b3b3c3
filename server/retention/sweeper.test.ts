import type { Frame, Outcome } from '@bridlewise/shared/wire'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../../tests/support/store.ts'
import type { Owner } from '../storage/index.ts'
import { createKeeping } from './keeping.ts'
import { createSweeper, type Sweeper } from './sweeper.ts'

const dayMs = 24 * 60 * 60 * 1000
const now = 100 * dayMs
const mebibyte = 2 ** 20
const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const outcome: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: [], usage, ms: 1 }

let temp: TempStore
let ann: Owner
let sweeper: Sweeper
let watched: string[]
let faults: unknown[]

beforeEach(async () => {
  temp = await openTempStore(() => now)
  ann = addUser(temp, 'ann')
  watched = []
  faults = []
  sweeper = makeSweeper()
})
afterEach(async () => {
  await sweeper.close()
  expect(faults).toEqual([])
  await temp[Symbol.asyncDispose]()
})

function makeSweeper(): Sweeper {
  const report = (cause: unknown) => void faults.push(cause)
  return createSweeper({ store: temp.store, now: () => now, isWatched: (runId) => watched.includes(runId), report })
}

/** A run with one frame and one whole result of half a mebibyte each; ended so many days ago, or active. */
function addContent(daysAgo: number | null, owner: Owner = ann) {
  const scope = addRun(temp.store, owner)
  const at = now - (daysAgo ?? 0) * dayMs
  const frame: Frame = { number: 1, kind: 'text', step: 1, text: 'x'.repeat(mebibyte / 2) }
  temp.store.frames.write(scope, [frame])
  temp.store.ledger.write(scope, {
    kind: 'finding',
    source: 'tool',
    payload: { severity: 'info', title: 't', text: 'words', evidence: [] },
  })
  const message = { id: newId('message'), chatId: scope.chatId, runId: scope.runId, role: 'user', text: 'words' } as const
  temp.store.messages.add(scope, { ...message, createdAt: at })
  const { ref } = temp.store.blobs.put(scope, {
    id: newId('blob'),
    runId: scope.runId,
    text: 'y'.repeat(mebibyte / 2),
    createdAt: at,
  })
  if (daysAgo !== null) temp.store.runs.end(scope, scope.runId, { outcome, at })
  return { ...scope, ref }
}

type Content = ReturnType<typeof addContent>

/** What is left of a run beside its words: `s` for the stream, `r` for the result. */
function leftOf({ runId, ref, ...owner }: Content): string {
  const stream = temp.store.frames.read(owner, runId, { after: 0, limit: 9 }).length > 0
  return (stream ? 's' : '') + (temp.store.blobs.get(owner, ref).ok ? 'r' : '')
}

describe('a sweep', () => {
  it('removes what is older than its owner wants, and nothing of an active or watched run', async () => {
    const [old, young, active, seen] = [addContent(91), addContent(89), addContent(null), addContent(91)]
    temp.change('UPDATE blobs SET createdAt = 1 WHERE runId = ?', active.runId)
    watched = [seen.runId]
    await sweeper.sweep()
    expect([old, young, active, seen].map(leftOf)).toEqual(['', 'sr', 'sr', 'sr'])
    watched = []
    await sweeper.sweep()
    expect(leftOf(seen)).toBe('')
  })

  it('removes whole results before streams, the oldest first, until the rest fits', async () => {
    const content = [30, 20, 10].map((days) => addContent(days))
    const keep = (bytes: number) => createKeeping(temp.store).setLimits(ann, { bytes, days: 90 })
    keep(2.2 * mebibyte)
    await sweeper.sweep()
    expect(content.map(leftOf)).toEqual(['s', 's', 'sr'])
    keep(mebibyte * 1.2)
    await sweeper.sweep()
    expect(content.map(leftOf)).toEqual(['', 's', 's'])
  })

  it('lets no owner pay for another', async () => {
    const bob = addUser(temp, 'bob')
    const [hers, his] = [addContent(1), addContent(1, bob)]
    createKeeping(temp.store).setLimits(bob, { bytes: 1, days: 90 })
    const removed = await sweeper.sweep()
    expect([hers, his].map(leftOf)).toEqual(['sr', ''])
    expect([...removed]).toEqual([[bob.userId, { streams: 1, results: 1, versions: 0, bytes: expect.any(Number) }]])
  })

  it('says what it removed, to whoever asks for it and in the ledger, and keeps the words', async () => {
    const content = addContent(91)
    await sweeper.sweep()
    expect(temp.store.blobs.get(ann, content.ref)).toMatchObject({
      refusal: { code: 'content_removed', details: { date: '1970-04-11' } },
    })
    expect(temp.store.retention.checkStream(ann, content.runId)).toMatchObject({ refusal: { code: 'content_removed' } })
    expect(temp.store.retention.checkStream({ userId: 'another' }, content.runId)).toMatchObject({ ok: true })
    expect(temp.store.messages.list(ann, content.chatId, { limit: 9 }).items).toMatchObject([{ text: 'words' }])
    expect(temp.store.ledger.list(ann, { limit: 9 }).items.map(({ kind }) => kind)).toEqual(['finding', 'retention'])
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, erased: 0 })
    await sweeper.sweep()
    expect(temp.store.ledger.head().seq).toBe(2)
  })

  it('erases the rows, gives the room back to the disk, and leaves nothing in the log', async () => {
    for (let runs = 0; runs < 8; runs += 1) addContent(91)
    const { file } = temp.store.reclaim.measure()
    await sweeper.sweep()
    expect(temp.rows('SELECT (SELECT count(*) FROM frames) + (SELECT count(*) FROM blobs) AS n')).toEqual([{ n: 0 }])
    expect(temp.store.reclaim.measure().file).toBeLessThan(file / 2)
    expect(temp.store.reclaim.truncateLog()).toBe(true)
  })

  it('goes on after a removal that left more than one step', async () => {
    const scope = addContent(1)
    const frames = Array.from({ length: 2000 }, (_, at): Frame => ({ number: at + 2, kind: 'text', step: 1, text: 'z' }))
    temp.store.frames.write(scope, frames)
    expect(temp.store.chats.remove(ann, scope.chatId)).toMatchObject({ ok: true })
    expect(temp.rows<{ n: number }>('SELECT count(*) AS n FROM frames')[0]?.n).toBeGreaterThan(0)
    // The removal woke it; closing waits for the step under way only, so the rest is asked for.
    await sweeper.sweep()
    expect(temp.rows('SELECT (SELECT count(*) FROM frames) + (SELECT count(*) FROM remains) AS n')).toEqual([{ n: 0 }])
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, erased: 1 })
  })
})

describe('limits', () => {
  it('stay within what an administrator allows, also when that is lowered afterwards', () => {
    const keeping = createKeeping(temp.store)
    const admin = addUser(temp, 'root')
    temp.change("UPDATE users SET role = 'admin' WHERE id = ?", admin.userId)
    expect(keeping.setBounds(ann, { bytes: 1, days: 1 })).toMatchObject({ refusal: { code: 'access_denied' } })
    expect(keeping.setLimits(ann, { bytes: 5 * mebibyte, days: 30 })).toMatchObject({ ok: true })
    expect(keeping.setBounds(admin, { bytes: 2 * mebibyte, days: 60 })).toMatchObject({ ok: true })
    expect(keeping.look(ann)).toMatchObject({ limits: { bytes: 2 * mebibyte, days: 30 }, most: { days: 60 } })
    expect(keeping.setLimits(ann, { bytes: 3 * mebibyte, days: 30 })).toMatchObject({ refusal: { code: 'retention_bound' } })
    expect(keeping.setLimits(ann, { bytes: mebibyte, days: 61 })).toMatchObject({ refusal: { code: 'retention_bound' } })
  })
})
