/** Whether the next request fits the window, and what may be done when it does not. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { ModelMessage, ToolSchema } from '@bridlewise/shared/wire'
import { boundsOf, type Cut, findCut } from './cut.ts'
import { fixedTokens, meterOf, type Reading } from './reading.ts'
import { trimResults } from './trim.ts'

export type Fit = 'fits' | 'compact' | Refusal

/** What stays word for word, and what a summary must gain, as shares of the window. */
const shares = { recent: 0.25, least: 0.05 }

export interface FitRequest {
  /** May be changed in place: results that are too large are shortened. */
  readonly messages: ModelMessage[]
  readonly tools: readonly ToolSchema[]
}

/**
 * Fit a request into the window.
 *
 * Contract: results are shortened before turns are summarised, and turns are summarised only where
 * that can be enough and something came since the last time. Measures the request as a side effect.
 * Refuses: context_irreducible, with what cannot be summarised.
 */
export function fitWindow(reading: Reading, request: FitRequest): Fit {
  const { window } = reading.input
  reading.meter = meterOf(reading, request)
  if (window === null) return 'fits'
  const { room, compactAt } = boundsOf(window)
  if (reading.meter.tokens <= compactAt) return 'fits'

  trimResults(request.messages, { window, excess: (reading.meter.tokens - compactAt) / reading.correction })
  reading.meter = meterOf(reading, request)
  const { tokens } = reading.meter
  if (tokens <= compactAt) return 'fits'
  const enough = tokens > room ? room : compactAt
  const cut = findAutomaticCut(reading, request.messages)
  const fixed = fixedTokens(reading.meter)
  if (cut && isNew(reading, request.messages) && fixed + cut.kept * reading.correction < enough) return 'compact'
  return tokens <= room ? 'fits' : makeRefusal('context_irreducible', { needed: tokens, limit: window, fixed })
}

/** Where earlier turns are cut without being asked; null without a window. */
export function findAutomaticCut({ input: { window }, correction }: Reading, messages: readonly ModelMessage[]): Cut | null {
  if (window === null) return null
  return findCut({ messages, recent: (window * shares.recent) / correction, least: (window * shares.least) / correction })
}

/** Something came since the last compaction, and that one was not in vain. */
function isNew({ compacted }: Reading, messages: readonly ModelMessage[]): boolean {
  return compacted === null || (compacted.enough && messages.length > compacted.messages)
}
