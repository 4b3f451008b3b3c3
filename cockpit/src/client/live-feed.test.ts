import type { StreamEnd } from '@bridlewise/shared/client'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Frame, Run } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { createLiveFeed, type FeedStatus } from './live-feed.ts'

const run = { id: 'run_x' } as Run
const text = (number: number): Frame => ({ number, kind: 'text', step: 1, text: `t${number}` })
const ended = (number: number): Frame => ({ number, kind: 'ended', run })
const lost: StreamEnd = { kind: 'lost', refusal: makeRefusal('server_unreachable') }

/** A line that plays one script a connection and records from where each was opened. */
function scriptedLine(connections: readonly { frames: readonly Frame[]; end: StreamEnd }[]) {
  const opened: (number | undefined)[] = []
  const waits: number[] = []
  const feed = createLiveFeed({
    async *open(_runId, from) {
      const script = connections[opened.length] ?? { frames: [], end: { kind: 'closed' } satisfies StreamEnd }
      opened.push(from.lastEventId)
      yield* script.frames
      return script.end
    },
    wait: async (ms) => void waits.push(ms),
    takeSlot: async () => () => undefined,
  })
  const watch = () =>
    new Promise<{ numbers: number[]; last: FeedStatus }>((resolve) => {
      const numbers: number[] = []
      feed.watch('run_x', {
        onFrame: (frame) => numbers.push(frame.number),
        onStatus: (last) => {
          if (last.kind === 'ended' || last.kind === 'refused') resolve({ numbers, last })
        },
      })
    })
  return { opened, waits, watch, feed }
}

describe('a live feed', () => {
  it('resumes after the last frame it saw and drops what comes twice', async () => {
    const line = scriptedLine([
      { frames: [text(1), text(2)], end: lost },
      { frames: [text(2), text(3)], end: { kind: 'closed' } },
      { frames: [ended(4)], end: { kind: 'closed' } },
    ])
    const { numbers, last } = await line.watch()
    expect(numbers).toEqual([1, 2, 3, 4])
    expect(last.kind).toBe('ended')
    expect(line.opened).toEqual([undefined, 2, 3])
  })

  it('shows nothing of what comes after a gap, and asks for what is missing', async () => {
    const line = scriptedLine([
      { frames: [text(1), text(3), ended(4)], end: { kind: 'closed' } },
      { frames: [text(2), text(3), ended(4)], end: { kind: 'closed' } },
    ])
    expect((await line.watch()).numbers).toEqual([1, 2, 3, 4])
    expect(line.opened).toEqual([undefined, 1])
    expect(line.waits).toEqual([250])
  })

  it('begins anew where the server does not know what was seen, also for who joins later, and asks from there on', async () => {
    const resync: Frame = { number: 0, kind: 'resync', run }
    const line = scriptedLine([
      { frames: [text(1), text(2), text(3)], end: lost },
      { frames: [resync], end: lost },
      { frames: [text(1)], end: lost },
      { frames: [text(2), ended(3)], end: { kind: 'closed' } },
    ])
    const first = line.watch()
    const second = line.watch()
    expect((await first).numbers).toEqual([1, 2, 3, 0, 1, 2, 3])
    expect((await second).numbers).toEqual([1, 2, 3, 0, 1, 2, 3])
    expect(line.opened).toEqual([undefined, 3, 0, 1])
  })

  it('waits longer after each attempt that brought nothing, and starts over once something came', async () => {
    const line = scriptedLine([
      { frames: [], end: lost },
      { frames: [], end: lost },
      { frames: [text(1)], end: lost },
      { frames: [ended(2)], end: { kind: 'closed' } },
    ])
    await line.watch()
    expect(line.waits).toEqual([250, 500, 250])
  })

  it.each([
    ['thing_unknown', 'refused', 1],
    ['streams_too_many', 'ended', 2],
  ] as const)('answers the refusal %s by being %s', async (code, kind, connections) => {
    const line = scriptedLine([
      { frames: [], end: { kind: 'refused', refusal: makeRefusal(code) } },
      { frames: [ended(1)], end: { kind: 'closed' } },
    ])
    const { last } = await line.watch()
    expect(last.kind).toBe(kind)
    expect(line.opened).toHaveLength(connections)
  })

  it('shares one connection among listeners and gives a late one what it missed', async () => {
    const line = scriptedLine([{ frames: [text(1), text(2), ended(3)], end: { kind: 'closed' } }])
    const first = line.watch()
    const second = line.watch()
    expect((await first).numbers).toEqual([1, 2, 3])
    expect((await second).numbers).toEqual([1, 2, 3])
    expect(line.opened).toHaveLength(1)
  })

  it('only looks in while other tabs hold all slots, and misses nothing', async () => {
    const opened: (number | undefined)[] = []
    let takers = 0
    const feed = createLiveFeed({
      async *open(_runId, from) {
        opened.push(from.lastEventId)
        yield text((from.lastEventId ?? 0) + 1)
        if (opened.length === 3) yield ended(4)
        else await new Promise((resolve) => from.signal.addEventListener('abort', resolve))
        return { kind: 'aborted' }
      },
      wait: () => new Promise((resolve) => setImmediate(resolve)),
      takeSlot: async () => {
        takers += 1
        return takers < 3 ? null : () => undefined
      },
    })
    const numbers: number[] = []
    await new Promise<void>((resolve) => {
      feed.watch('run_x', {
        onFrame: (frame) => numbers.push(frame.number),
        onStatus: (status) => status.kind === 'ended' && resolve(),
      })
    })
    expect(numbers).toEqual([1, 2, 3, 4])
    expect(opened).toEqual([undefined, 1, 2])
  })

  it('closes the connection when the last listener leaves', async () => {
    const signals: AbortSignal[] = []
    const opened = Promise.withResolvers<void>()
    const feed = createLiveFeed({
      async *open(_runId, from) {
        signals.push(from.signal)
        opened.resolve()
        yield text(1)
        await new Promise((resolve) => from.signal.addEventListener('abort', resolve))
        return { kind: 'aborted' }
      },
      wait: async () => undefined,
      takeSlot: async () => () => undefined,
    })
    const quiet = () => ({ onFrame: () => undefined, onStatus: () => undefined })
    const leaveFirst = feed.watch('run_x', quiet())
    const leaveSecond = feed.watch('run_x', quiet())
    await opened.promise
    leaveFirst()
    expect(signals[0]?.aborted).toBe(false)
    leaveSecond()
    expect(signals[0]?.aborted).toBe(true)
  })
})
