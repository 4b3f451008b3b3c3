/**
 * How long somebody who typed wrong passwords waits before the next: longer each time, and never for good.
 *
 * A clock that only goes forward counts the waiting, so a changed wall clock frees nobody and locks nobody out.
 */

const minuteMs = 60 * 1000

export const delayLimits = {
  /** Wrong passwords after which the next one has to wait. */
  free: 5,
  firstMs: 2_000,
  mostMs: 5 * minuteMs,
  /** Quiet after a wait, until nothing of it counts any more. */
  forgetMs: 60 * minuteMs,
  /** Names remembered at most, and those of them that outlive a restart. */
  remembered: 10_000,
  kept: 500,
} as const

export type Kept = readonly (readonly [key: string, count: number])[]

interface Entry {
  readonly count: number
  readonly at: number
}

/** One attempt, counted as wrong before its password is compared, so that many at once do not all pass. */
export interface Counted {
  readonly count: number
  /** It was right, or was not compared: the count and the wait are as if it had not been. */
  takeBack(): void
}

export class Delays {
  readonly #elapsed: () => number
  readonly #entries = new Map<string, Entry>()

  /** Contract: what was kept waits its whole delay again from now on, at most `mostMs`. */
  constructor(elapsed: () => number, kept: Kept) {
    this.#elapsed = elapsed
    for (const [key, count] of kept) this.#entries.set(key, { count, at: elapsed() })
  }

  get size(): number {
    return this.#entries.size
  }

  /** Milliseconds until the next attempt is taken; 0 for now. */
  waitOf(key: string): number {
    const entry = this.#entries.get(key)
    return entry === undefined ? 0 : Math.max(0, entry.at + delayAfter(entry.count) - this.#elapsed())
  }

  count(key: string): Counted {
    const at = this.#elapsed()
    const before = this.#find(key, at)
    const count = (before?.count ?? 0) + 1
    // Taken out first: the last one touched stands last.
    this.#entries.delete(key)
    this.#entries.set(key, { count, at })
    if (this.#entries.size > delayLimits.remembered) this.#forget(at)
    return { count, takeBack: () => this.#takeBack(key, { before, at }) }
  }

  /** What must outlive a restart: counts that cost a wait, the highest first. */
  kept(): Kept {
    return [...this.#entries]
      .filter(([, { count }]) => isSlow(count))
      .map(([key, { count }]): [string, number] => [key, count])
      .sort(([, one], [, other]) => other - one)
      .slice(0, delayLimits.kept)
  }

  #takeBack(key: string, { before, at }: { readonly before: Entry | undefined; readonly at: number }): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    if (entry.count === 1) this.#entries.delete(key)
    else this.#entries.set(key, { count: entry.count - 1, at: entry.at === at && before ? before.at : entry.at })
  }

  #find(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry && now < entry.at + delayAfter(entry.count) + delayLimits.forgetMs ? entry : undefined
  }

  /** The stale ones go, then those with the fewest: invented names cannot push out one that somebody attacks. */
  #forget(now: number): void {
    for (const key of this.#entries.keys()) if (!this.#find(key, now)) this.#entries.delete(key)
    const least = [...this.#entries].sort(([, one], [, other]) => one.count - other.count)
    const room = Math.floor(delayLimits.remembered * 0.9)
    for (const [key] of least.slice(0, Math.max(0, least.length - room))) this.#entries.delete(key)
  }
}

/** Whether so many wrong ones cost a wait. */
export function isSlow(count: number): boolean {
  return count >= delayLimits.free
}

export function delayAfter(count: number): number {
  if (!isSlow(count)) return 0
  return Math.min(delayLimits.mostMs, delayLimits.firstMs * 2 ** Math.min(count - delayLimits.free, 30))
}
