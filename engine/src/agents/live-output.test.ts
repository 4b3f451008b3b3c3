import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OnOutput } from '../tools/index.ts'
import { followOutput } from './live-output.ts'

const deadline = { type: 'waiting', for: 'call', step: 1, until: 120_000, attempt: null } as const
const call = { callId: 'call', deadline }

/** Follow to the end; gives the pieces and what the work settled to. */
async function follow<T>(start: (onOutput: OnOutput) => Promise<T>) {
  const following = followOutput(call, start)
  const pieces: string[] = []
  for (;;) {
    const next = await following.next()
    if (next.done) return { pieces, value: next.value }
    if (next.value.type === 'output') pieces.push(`${next.value.stream}: ${next.value.text}`)
  }
}

describe('live output', () => {
  it('keeps the order, and merges neighbours that waited together', async () => {
    const { pieces, value } = await follow(async (print) => {
      print('stdout', 'a')
      print('stdout', 'b')
      print('stderr', 'c')
      print('stdout', 'd')
      return 7
    })
    expect(pieces).toEqual(['stdout: ab', 'stderr: c', 'stdout: d'])
    expect(value).toBe(7)
  })

  it('comes while the work goes on', async () => {
    const gate = Promise.withResolvers<void>()
    const following = followOutput(call, async (print) => {
      print('stdout', 'early')
      await gate.promise
      return 'late'
    })
    expect((await following.next()).value).toMatchObject({ text: 'early' })
    gate.resolve()
    expect(await following.next()).toEqual({ done: true, value: 'late' })
  })

  it('stops at its limit, and says so once', async () => {
    const { pieces } = await follow(async (print) => {
      for (let i = 0; i < 300; i += 1) print('stdout', 'x'.repeat(1024))
    })
    const text = pieces.join('')
    expect(text.length).toBeLessThan(140 * 1024)
    expect(text.split('[live output ends here')).toHaveLength(2)
  })

  it('throws what the work throws, after what it printed', async () => {
    const broken = new Error('broken')
    const following = followOutput(call, async (print) => {
      print('stdout', 'so far')
      throw broken
    })
    expect((await following.next()).value).toMatchObject({ text: 'so far' })
    await expect(following.next()).rejects.toBe(broken)
  })
})

describe('a countdown', () => {
  afterEach(() => void vi.useRealTimers())

  it('is told once of a call that lasts, and never of a quick one', async () => {
    expect((await follow(async () => 1)).value).toBe(1)
    vi.useFakeTimers()
    const gate = Promise.withResolvers<number>()
    const following = followOutput(call, () => gate.promise)
    const first = following.next()
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await first).value).toEqual(deadline)
    const second = following.next()
    await vi.advanceTimersByTimeAsync(60_000)
    gate.resolve(2)
    expect(await second).toEqual({ done: true, value: 2 })
    expect(vi.getTimerCount()).toBe(0)
  })
})
