/** Results that are too large for the window, shortened before anything else is given up. */
import type { ModelMessage } from '@bridlewise/shared/wire'
import { keepEnds } from '../../tools/index.ts'
import { estimateMessage } from './measure.ts'

/** What of a window one result may keep when room is short. */
const shareOfOne = 1 / 16
const leastTokens = 256

export interface TrimRequest {
  readonly window: number
  /** How many tokens have to go, uncorrected. */
  readonly excess: number
}

/**
 * Shorten tool results in place, the newest first, until the excess is gone or none is large.
 *
 * Contract: pairing and order stay; what was left out is said, with the place in the ledger that
 * holds it whole.
 */
export function trimResults(messages: ModelMessage[], { window, excess }: TrimRequest): void {
  const most = Math.max(leastTokens, window * shareOfOne)
  for (let at = messages.length - 1, left = excess; at >= 0 && left > 0; at -= 1) {
    const message = messages[at]
    if (message?.role !== 'tool') continue
    const before = estimateMessage(message)
    if (before <= most * 1.25) continue
    const { text, cut } = keepEnds(message.text, { bytes: Math.floor(most * 4), lines: Number.MAX_SAFE_INTEGER })
    if (cut === null) continue
    const place = message.seq === undefined ? '' : ` The record holds it whole, at entry ${message.seq}.`
    const shorter = {
      ...message,
      // Which lines are among those that stay is not known any more.
      files: message.files?.map(({ path }) => ({ path, lines: [], digest: null })),
      text: `${text}\n[${cut} left out to fit the window of the model.${place} Ask for less at a time to see it.]`,
    }
    messages[at] = shorter
    left -= before - estimateMessage(shorter)
  }
}
