/** A timer that measures its own lateness, and now and then the log of the database. */
import type { Clock } from '@bridlewise/engine'

export type Trouble =
  /** Nothing was answered for so long. `busyMs` of it this process computed; the rest it waited for the disk or a processor. */
  | { readonly kind: 'blocked'; readonly ms: number; readonly busyMs: number }
  /** The log of the database is larger than it should ever be: somebody reads the database and does not stop. */
  | { readonly kind: 'log_grown'; readonly bytes: number }

export interface Pause {
  readonly at: number
  readonly ms: number
  readonly busyMs: number
}

export interface Readings {
  /** Since the start. */
  readonly pauses: number
  /** The longest of the last hour. */
  readonly longest: Pause | null
}

export interface Watch {
  readings(): Readings
  stop(): void
}

export interface WatchParts {
  readonly clock: Clock
  /** Milliseconds of processor time that this process has used. */
  readonly busy: () => number
  /** Bytes of the database's log. */
  readonly logBytes: () => number
  /** Told once for each pause, and once each time that the log outgrows its bound. */
  readonly report: (trouble: Trouble) => void
  /** Calls again and again until the returned function is called. */
  readonly repeat: (everyMs: number, tick: () => void) => () => void
}

export const watchLimits = {
  /** Time between two looks. A pause is measured too short by up to this much, never too long. */
  everyMs: 500,
  /** From here on a pause is a trouble. */
  pauseMs: 1_000,
  /** The log shrinks to a quarter of this at each turn; above it, something keeps it from turning. */
  logBytes: 256 * 2 ** 20,
} as const

/** Looks between two looks at the log. */
const logEvery = 10

const hourMs = 60 * 60 * 1000

/**
 * Contract: the clock that goes forward decides, so that a changed wall clock is no pause; a machine
 * that slept is none either where that clock sleeps with it, as on Linux.
 */
export function createWatch({ clock, busy, logBytes, report, repeat }: WatchParts): Watch {
  let last = { elapsed: clock.elapsed(), busy: busy() }
  let pauses = 0
  let recent: readonly Pause[] = []
  let looks = 0
  let grown = false

  function lookAtLog(): void {
    const bytes = logBytes()
    if (bytes > watchLimits.logBytes && !grown) report({ kind: 'log_grown', bytes })
    grown = bytes > watchLimits.logBytes
  }

  const stop = repeat(watchLimits.everyMs, () => {
    const now = { elapsed: clock.elapsed(), busy: busy() }
    const ms = Math.round(now.elapsed - last.elapsed - watchLimits.everyMs)
    const busyMs = Math.round(now.busy - last.busy)
    last = now
    if (ms >= watchLimits.pauseMs) {
      pauses += 1
      recent = [...current(recent, clock.now()), { at: clock.now(), ms, busyMs }].slice(-most)
      report({ kind: 'blocked', ms, busyMs })
    }
    looks += 1
    if (looks % logEvery === 0) lookAtLog()
  })

  return {
    readings() {
      const [longest = null] = current(recent, clock.now()).toSorted((one, other) => other.ms - one.ms)
      return { pauses, longest }
    },
    stop,
  }
}

/** Pauses that are remembered. */
const most = 100

function current(pauses: readonly Pause[], now: number): readonly Pause[] {
  return pauses.filter(({ at }) => Math.abs(now - at) < hourMs)
}
