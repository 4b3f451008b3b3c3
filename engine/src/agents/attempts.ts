/**
 * When a request that failed is made once more, and after how long.
 *
 * Only a request of which nothing came is: no word, no thought, no call. So nothing is shown or paid
 * twice but what an endpoint bills for answers that it never began.
 */
import type { Refusal } from '@bridlewise/shared/refusals'

export interface AttemptLimits {
  /** Requests for one step, the first included. */
  readonly attempts: number
  /** Waited before the second attempt where the endpoint asks for nothing; four times that before the third. Milliseconds. */
  readonly backoffMs: number
  /** An endpoint that asks for a longer wait is not asked again: the person decides. Milliseconds. */
  readonly longestWaitMs: number
}

export interface FailedAttempt {
  readonly refusal: Refusal
  /** How many were made, this one included. */
  readonly made: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** From 0 to 1: spreads the attempts of many that failed at the same moment. */
  readonly chance: number
}

/** Milliseconds to wait before the next attempt; null when there is none. */
export function waitBeforeNext({ refusal, made, now, chance }: FailedAttempt, limits: AttemptLimits): number | null {
  if (made >= limits.attempts || made > mostAfter(refusal)) return null
  // Asked otherwise: there is nothing to wait for.
  if (refusal.code === 'endpoint_corrected') return 0
  const usual = Math.round(limits.backoffMs * 4 ** (made - 1) * (0.5 + chance / 2))
  const asked = readRetryAfter(refusal.details?.['retryAfter'], now)
  if (asked === null) return Math.min(usual, limits.longestWaitMs)
  return asked > limits.longestWaitMs ? null : asked + Math.round((chance * limits.backoffMs) / 2)
}

/** How many more attempts a failure is worth. */
function mostAfter({ code, details }: Refusal): number {
  switch (code) {
    case 'endpoint_corrected':
    case 'endpoint_rate_limited':
    case 'endpoint_failed':
    case 'endpoint_broke_off':
      return Number.POSITIVE_INFINITY
    case 'endpoint_unreachable':
    case 'proxy_unreachable':
      return details?.['passing'] === true ? Number.POSITIVE_INFINITY : 0
    case 'endpoint_stalled':
      // It has cost its time once already.
      return 1
    default:
      return 0
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3) as milliseconds from now; null for anything else. */
export function readRetryAfter(value: unknown, now: number): number | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
