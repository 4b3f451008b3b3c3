/** How often one caller may call: a token bucket per caller and rate class, in memory. */
import type { RateClass } from '@bridlewise/shared'
import type { Rate } from './limits.ts'

interface Bucket {
  tokens: number
  at: number
}

/** Buckets kept at most. Full ones are forgotten first: they say nothing. */
const most = 10_000

/**
 * Contract: time comes from a clock that only goes forward, so a changed wall clock gives nobody
 * calls back and locks nobody out. Headers play no part in who a caller is.
 */
export class RateBook {
  readonly #rates: Readonly<Record<RateClass, Rate>>
  readonly #elapsed: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(rates: Readonly<Record<RateClass, Rate>>, elapsed: () => number) {
    this.#rates = rates
    this.#elapsed = elapsed
  }

  /** Take one call out of the caller's bucket: 0 when there was one, else the whole seconds until there is. */
  take(rateClass: RateClass, caller: string): number {
    const rate = this.#rates[rateClass]
    const now = this.#elapsed()
    const key = `${rateClass} ${caller}`
    const bucket = this.#buckets.get(key) ?? { tokens: rate.burst, at: now }
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / 1000) * rate.perSecond)
    bucket.at = now
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > most) this.#forget(now)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / rate.perSecond))
    bucket.tokens -= 1
    return 0
  }

  #forget(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      const rate = this.#rates[key.slice(0, key.indexOf(' ')) as RateClass]
      if (bucket.tokens + ((now - bucket.at) / 1000) * rate.perSecond >= rate.burst) this.#buckets.delete(key)
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= most) return
      this.#buckets.delete(key)
    }
  }
}

/** One name for every way to spell this machine: `::1` gives no second bucket beside 127.0.0.1. */
export function addressKey(address: string | undefined): string {
  const bare = (address ?? '').replace(/^::ffff:/, '')
  return bare === '::1' || bare.startsWith('127.') ? 'loopback' : bare
}
