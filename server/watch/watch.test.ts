import { describe, expect, it } from 'vitest'
import { createWatch, type Trouble, watchLimits } from './watch.ts'

/** A watch whose time, processor and log are the test's to set. */
function openWatch() {
  const host = { elapsed: 0, now: 1_000_000, busy: 0, log: 0 }
  const reported: Trouble[] = []
  let tick: () => void = () => undefined
  let stopped = false
  const watch = createWatch({
    clock: { now: () => host.now, elapsed: () => host.elapsed },
    busy: () => host.busy,
    logBytes: () => host.log,
    report: (trouble) => void reported.push(trouble),
    repeat: (_every, look) => {
      tick = look
      return () => {
        stopped = true
      }
    },
  })
  const pass = (ms: number, busy = 0) => {
    host.elapsed += ms
    host.now += ms
    host.busy += busy
    tick()
  }
  return { host, reported, watch, pass, stopped: () => stopped }
}

describe('the watch', () => {
  it('reports a pause from its bound on, with how much of it was computed', () => {
    const { reported, watch, pass } = openWatch()
    pass(watchLimits.everyMs)
    pass(watchLimits.everyMs + watchLimits.pauseMs - 1)
    expect(reported).toEqual([])
    pass(watchLimits.everyMs + 30_000, 29_000)
    expect(reported).toEqual([{ kind: 'blocked', ms: 30_000, busyMs: 29_000 }])
    expect(watch.readings()).toMatchObject({ pauses: 1, longest: { ms: 30_000, busyMs: 29_000 } })
  })

  it.each([10, -10])('takes a wall clock that jumps by %i years for no pause', (years) => {
    const { host, reported, pass } = openWatch()
    host.now += years * 365 * 86_400_000
    pass(watchLimits.everyMs)
    expect(reported).toEqual([])
  })

  it('forgets the longest pause after an hour, and not how many there were', () => {
    const { watch, pass, host } = openWatch()
    pass(watchLimits.everyMs + 5_000)
    host.now += 3_600_000
    expect(watch.readings()).toEqual({ pauses: 1, longest: null })
  })

  it('reports a log that outgrows its bound once, and again when it does so anew', () => {
    const { host, reported, pass } = openWatch()
    const look = () => {
      for (let n = 0; n < 10; n += 1) pass(watchLimits.everyMs)
    }
    host.log = watchLimits.logBytes
    look()
    expect(reported).toEqual([])
    host.log = watchLimits.logBytes + 1
    look()
    look()
    expect(reported).toEqual([{ kind: 'log_grown', bytes: host.log }])
    host.log = 0
    look()
    host.log = watchLimits.logBytes + 2
    look()
    expect(reported).toHaveLength(2)
  })

  it('looks no more once it was stopped', () => {
    const { watch, stopped } = openWatch()
    watch.stop()
    expect(stopped()).toBe(true)
  })
})
