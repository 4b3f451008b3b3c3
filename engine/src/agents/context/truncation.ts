/** Whether an endpoint read less than it was sent: local servers cut off the front of what does not fit, and say nothing. */
import type { ModelMessage, Usage } from '@bridlewise/shared/wire'
import { leaveOutRepeats } from './repeats.ts'

/** What was sent at least, and how much of it for the first time. In tokens. */
export interface Floor {
  readonly all: number
  readonly fresh: number
}

/** A request with what was reported of it. */
export interface Counted extends Floor {
  readonly reported: number
}

/** Smaller reports are of no window that is in use, or of nobody who counts. In tokens. */
const leastReported = 1_000
/** What may leave shorter than it was measured, as a share. */
const margin = 0.75

/**
 * The fewest tokens that messages can be.
 *
 * Contract: never an estimate. No token holds letters of two words, so there are at least as many as words;
 * instructions, calls, tools and thoughts are left out, since not everybody counts or sends them on.
 */
export function floorOf(messages: readonly ModelMessage[]): Floor {
  const counted = leaveOutRepeats(messages).map(({ role, text }) => (role === 'system' ? 0 : countWords(text)))
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return { all: sum(counted), fresh: sum(counted.slice(from)) }
}

/**
 * Whether the front was cut off.
 *
 * Some report only what did not come from their cache. So a report has to be too small even for what was sent for the
 * first time, or to be the same as the one before although what was new in both differs.
 */
export function seemsCut({ reported, all, fresh }: Counted, before: Counted | null): boolean {
  if (reported < leastReported || reported >= all * margin) return false
  if (reported < fresh * margin) return true
  return before?.reported === reported && all > before.all && Math.abs(fresh - before.fresh) > reported / 10
}

/** Null where what was reported cannot be held against what was sent. */
export function countReport(messages: readonly ModelMessage[], { inputTokens, cachedTokens }: Usage): Counted | null {
  // Who found the beginning in its cache has not cut it off.
  return cachedTokens > 0 ? null : { ...floorOf(messages), reported: inputTokens }
}

function countWords(text: string): number {
  return text.match(/\p{L}+/gu)?.length ?? 0
}
