import type { TurnEvent } from '@bridlewise/engine'
import type { Frame, Outcome } from '@bridlewise/shared/wire'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { createFeed, type Feed } from './feed.ts'
import { createRecorder } from './record.ts'

const clock = { now: Date.now, elapsed: () => performance.now() }
const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const outcome: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: [], usage, ms: 1 }

let temp: TempStore
let feed: Feed
let scope: ReturnType<typeof addRun>
beforeEach(async () => {
  temp = await openTempStore()
  scope = addRun(temp.store, addUser(temp, 'ada'))
  feed = createFeed(temp.store)
  feed.open(scope.runId, 0)
})
afterEach(() => temp[Symbol.asyncDispose]())

async function* turnOf(events: Iterable<TurnEvent>): AsyncGenerator<TurnEvent, Outcome> {
  yield* events
  return outcome
}

function follow(turn: AsyncGenerator<TurnEvent, Outcome>): Promise<Outcome> {
  return createRecorder({ store: temp.store, feed, clock }, scope).follow(turn)
}

function stored(): readonly Frame[] {
  return temp.store.frames.read(scope, scope.runId, { after: 0, limit: 10_000 })
}

const text = (words: string, step = 1): TurnEvent => ({ type: 'text', step, text: words })
const output = (words: string, stream: 'stdout' | 'stderr' = 'stdout'): TurnEvent => ({
  type: 'output',
  callId: 'c',
  stream,
  text: words,
})

it('a burst of words becomes few frames and loses none', async () => {
  const pieces = Array.from({ length: 5_000 }, (_, at) => `w${at} `)
  expect(await follow(turnOf(pieces.map((piece) => text(piece))))).toEqual(outcome)
  const frames = stored()
  expect(frames.map((frame) => (frame.kind === 'text' ? frame.text : '')).join('')).toBe(pieces.join(''))
  expect(frames.length).toBeLessThan(500)
  expect(frames[0]).toMatchObject({ text: 'w0 ' })
})

it('words at any pace are at most sixty frames a second, and the first does not wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let elapsed = 0
  const seconds = 2
  async function* fast(): AsyncGenerator<TurnEvent, Outcome> {
    for (let at = 0; at < 2_000 * seconds; at += 1) {
      yield text(`w${at} `)
      elapsed += 0.5
      if (at % 2 === 1) vi.advanceTimersByTime(1)
      if (at % 4 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (at === 4) expect(stored()).toMatchObject([{ text: 'w0 ' }])
    }
    return outcome
  }
  await createRecorder({ store: temp.store, feed, clock: { now: Date.now, elapsed: () => elapsed } }, scope).follow(fast())
  vi.useRealTimers()
  const frames = stored()
  expect(frames.map((frame) => (frame.kind === 'text' ? frame.text : '')).join('')).toMatch(/^w0 w1 .*w3999 $/)
  expect(frames.length).toBeLessThanOrEqual(60 * seconds + 1)
  expect(frames.length).toBeGreaterThan(20 * seconds)
})

it('words of another kind, step, call or stream do not mix, and order stays', async () => {
  const recorder = createRecorder({ store: temp.store, feed, clock }, scope)
  async function* turn(): AsyncGenerator<TurnEvent, Outcome> {
    yield text('a')
    yield { type: 'reasoning', step: 1, text: 'r' }
    yield text('b')
    const messageId = newId('message')
    const beat = await recorder.ledger.append({
      kind: 'message',
      payload: { messageId, role: 'assistant', text: 'ab' },
      source: 'model',
    })
    yield { type: 'beat', beat }
    yield text('c', 2)
    yield output('o')
    yield output('p')
    yield output('e', 'stderr')
    return outcome
  }
  await recorder.follow(turn())
  const told = stored().map((frame) => ('text' in frame ? `${frame.kind}:${frame.text}` : frame.kind))
  expect(told).toEqual(['text:a', 'reasoning:r', 'text:b', 'beat', 'text:c', 'output:op', 'output:e'])
  const { items } = temp.store.messages.list(scope, scope.chatId, { limit: 10 })
  expect(items.map((message) => message.text)).toEqual(['ab'])
})

it('a beat, its frame and its message come together or not at all', async () => {
  const { ledger } = createRecorder({ store: temp.store, feed, clock }, scope)
  const messageId = newId('message')
  const draft = { kind: 'message', payload: { messageId, role: 'assistant', text: 'once' }, source: 'model' } as const
  await ledger.append(draft)
  await expect(ledger.append(draft)).rejects.toThrow()
  expect(temp.store.ledger.head().seq).toBe(1)
  expect(stored()).toHaveLength(1)
})

it('a turn whose frames cannot be stored is ended, and the fault is told', async () => {
  let left = false
  async function* endless(): AsyncGenerator<TurnEvent, Outcome> {
    try {
      for (;;) {
        yield text('x')
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      left = true
    }
  }
  const full = { ...feed, append: () => Promise.reject(new Error('the disk is full')) }
  await expect(createRecorder({ store: temp.store, feed: full, clock }, scope).follow(endless())).rejects.toThrow(
    'the disk is full',
  )
  expect(left).toBe(true)
})
