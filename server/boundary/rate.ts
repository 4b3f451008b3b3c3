/** How often one caller may call: a token bucket per caller and rate class, in memory. */
import type { RateClass } from '@bridlewise/shared'
import type { Rate } from './limits.ts'

/** Callers remembered at most. Those with a full bucket are forgotten first: they say nothing. */
const most = 10_000

/**
 * A bucket is kept as the time at which it will be full again (the generic cell rate algorithm).
 *
 * Contract: time comes from a clock that only goes forward, so a changed wall clock gives nobody
 * calls back and locks nobody out. Headers play no part in who a caller is.
 */
export class RateBook {
  readonly #rates: Readonly<Record<RateClass, Rate>>
  readonly #elapsed: () => number
  readonly #fullAt = new Map<string, number>()

  constructor(rates: Readonly<Record<RateClass, Rate>>, elapsed: () => number) {
    this.#rates = rates
    this.#elapsed = elapsed
  }

  /** Take one call out of the caller's bucket: 0 when there was one, else the whole seconds until there is. */
  take(rateClass: RateClass, caller: string): number {
    const { burst, everyMs } = this.#rates[rateClass]
    const now = this.#elapsed()
    const key = `${rateClass} ${caller}`
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? now)
    const waitMs = fullAt - now - (burst - 1) * everyMs
    if (waitMs > 0) return Math.ceil(waitMs / 1000)
    this.#fullAt.set(key, fullAt + everyMs)
    if (this.#fullAt.size > most) this.#forget(now)
    return 0
  }

  #forget(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key)
    for (const key of this.#fullAt.keys()) {
      if (this.#fullAt.size <= most) return
      this.#fullAt.delete(key)
    }
  }
}

/** One name for every way to spell this machine: `::1` gives no second bucket beside 127.0.0.1. */
export function addressKey(address: string | undefined): string {
  const bare = (address ?? '').replace(/^::ffff:/, '')
  return bare === '::1' || bare.startsWith('127.') ? 'loopback' : bare
}
