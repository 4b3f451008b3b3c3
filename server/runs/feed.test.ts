import type { Frame, FrameDraft } from '@bridlewise/shared/wire'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { createFeed, type Feed, type FeedScope, type LastSeen } from './feed.ts'

let temp: TempStore
let feed: Feed
let scope: FeedScope
beforeEach(async () => {
  temp = await openTempStore()
  scope = addRun(temp.store, addUser(temp, 'ada'))
  feed = createFeed(temp.store)
  feed.open(scope.runId, 0)
})
afterEach(() => temp[Symbol.asyncDispose]())

const words = (text: string): FrameDraft => ({ kind: 'text', step: 1, text })
const never = new AbortController().signal

async function collect(lastSeen: LastSeen, from: Feed = feed, of: FeedScope = scope): Promise<number[]> {
  const numbers: number[] = []
  for await (const frame of from.subscribe(of, lastSeen, AbortSignal.timeout(10_000))) numbers.push(frame.number)
  return numbers
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe('a subscriber', () => {
  it('that comes early, late, or in between sees the same', async () => {
    const early = collect(null)
    await feed.append(scope, [words('a'), words('b')])
    const between = collect(null)
    await feed.append(scope, [words('c')])
    feed.close(scope.runId)
    expect([await early, await between, await collect(null)]).toEqual([upTo(3), upTo(3), upTo(3)])
  })

  it('goes on after the frame it saw last', async () => {
    await feed.append(scope, upTo(5).map(String).map(words))
    const live = collect(3)
    await feed.append(scope, [words('6')])
    feed.close(scope.runId)
    expect(await live).toEqual([4, 5, 6])
    expect(await collect(6)).toEqual([])
  })

  it.each([-1, 7, 999_999, 'unknown'] as const)(
    'that claims to have seen %s, which was never given, is told once how the run stands, and then all of it, live',
    async (lastSeen) => {
      await feed.append(scope, upTo(4).map(String).map(words))
      const first = await feed.subscribe(scope, lastSeen, never)[Symbol.asyncIterator]().next()
      expect(first.value).toEqual({ number: 0, kind: 'resync', run: temp.store.runs.get(scope, scope.runId) })
      const live = collect(lastSeen)
      await feed.append(scope, ['5', '6'].map(words))
      feed.close(scope.runId)
      expect(await live).toEqual([0, ...upTo(6)])
      expect([await collect(lastSeen), await collect(0), await collect(null)]).toEqual([[0, ...upTo(6)], upTo(6), upTo(6)])
    },
  )

  it('that reads slowly misses nothing, however far the others are', async () => {
    const slow = feed.subscribe(scope, null, never)[Symbol.asyncIterator]()
    await feed.append(scope, [words('first')])
    const numbers = [(await slow.next()).value?.number]
    for (let batch = 0; batch < 12; batch += 1) await feed.append(scope, upTo(500).map(String).map(words))
    feed.close(scope.runId)
    for (let next = await slow.next(); !next.done; next = await slow.next()) numbers.push(next.value.number)
    expect(numbers).toEqual(upTo(6_001))
  })

  it('sees nothing of somebody else', async () => {
    await feed.append(scope, [words('a')])
    feed.close(scope.runId)
    const foreign = { ...scope, userId: addUser(temp, 'bob').userId }
    for (const lastSeen of [null, 999, 'unknown'] as const) expect(await collect(lastSeen, feed, foreign)).toEqual([])
  })

  it('ends when it leaves, and the run does not', async () => {
    const leaving = new AbortController()
    const watching = (async () => {
      for await (const _ of feed.subscribe(scope, null, leaving.signal)) leaving.abort()
    })()
    await feed.append(scope, [words('a')])
    await watching
    await feed.append(scope, [words('b')])
    feed.close(scope.runId)
    expect(await collect(null)).toEqual([1, 2])
  })

  it('ends after the terminal frame', async () => {
    const run = temp.store.runs.get(scope, scope.runId)
    if (!run) throw new Error('the run is gone')
    const watching = collect(null)
    await feed.append(scope, [words('a'), { kind: 'ended', run }])
    expect(await watching).toEqual([1, 2])
  })
})

describe('frames', () => {
  it('are stored before they are shown', async () => {
    const stored: number[] = []
    const watching = (async () => {
      for await (const frame of feed.subscribe(scope, null, never)) {
        stored.push(temp.store.frames.lastNumber(scope, scope.runId) - frame.number)
      }
    })()
    for (const text of ['a', 'b', 'c']) await feed.append(scope, [words(text)])
    feed.close(scope.runId)
    await watching
    expect(stored.every((ahead) => ahead >= 0)).toBe(true)
  })

  it('keep the order in which they were handed over, appended or committed', async () => {
    const frames: Frame[] = []
    const commit = (text: string) =>
      feed.commit(scope.runId, async (number) => temp.store.frames.write(scope, number([words(text)])))
    await Promise.all([feed.append(scope, [words('a')]), commit('b'), feed.append(scope, [words('c')]), commit('d')])
    feed.close(scope.runId)
    for await (const frame of feed.subscribe(scope, null, never)) frames.push(frame)
    expect(frames.map((frame) => (frame.kind === 'text' ? frame.text : ''))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('that could not be stored use no number up', async () => {
    const broken = feed.commit(scope.runId, async (number) => {
      number([words('lost')])
      throw new Error('the disk is full')
    })
    await expect(broken).rejects.toThrow('the disk is full')
    await feed.append(scope, [words('a')])
    feed.close(scope.runId)
    expect(await collect(null)).toEqual([1])
  })

  it('after the close are dropped', async () => {
    feed.close(scope.runId)
    await feed.append(scope, [words('late')])
    expect(await collect(null)).toEqual([])
  })
})
