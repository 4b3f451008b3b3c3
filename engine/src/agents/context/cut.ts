/** Where a conversation is cut: what stays word for word, and what a summary stands for. */
import type { ModelMessage } from '@bridlewise/shared/wire'
import { estimateMessage } from './measure.ts'

/** Where a summary stands: before every entry of the ledger, which count from 1. */
export const summarySeq = 0

/** What of a window stays free for the answer, and where earlier turns are summarised. In tokens. */
export function boundsOf(window: number): { readonly room: number; readonly compactAt: number } {
  const room = window - Math.min(16_000, Math.floor(window / 8))
  return { room, compactAt: Math.min(room, Math.floor(window * 0.8)) }
}

export interface CutRequest {
  /** The system message first. */
  readonly messages: readonly ModelMessage[]
  /** Tokens that stay word for word, uncorrected. */
  readonly recent: number
  /** What has to be gained for a cut to be worth a request; tokens, uncorrected. */
  readonly least: number
}

export interface Cut {
  /** Index of the first message that stays. */
  readonly at: number
  /** The place of the last entry that goes into the summary. */
  readonly upTo: number
  /** The messages that go, an earlier summary among them. */
  readonly older: readonly ModelMessage[]
  /** Tokens of those that stay, uncorrected. */
  readonly kept: number
}

/**
 * Find where to cut, or null where it would gain too little.
 *
 * Contract: a call stays beside its results; the newest message always stays; an earlier summary
 * alone is never summarised again.
 */
export function findCut({ messages, recent, least }: CutRequest): Cut | null {
  let at = messages.length
  let kept = 0
  for (let index = messages.length - 1, tokens = 0; index > 0; index -= 1) {
    const message = messages[index]
    if (!message) break
    tokens += estimateMessage(message)
    if (tokens > recent && at < messages.length) break
    if (!canStart(message)) continue
    at = index
    kept = tokens
  }
  const first = messages[at]?.seq
  const older = messages.slice(1, at)
  const gained = older.reduce((sum, message) => sum + (message.seq === summarySeq ? 0 : estimateMessage(message)), 0)
  return first === undefined || gained <= least ? null : { at, upTo: first - 1, older, kept }
}

/** A result cannot be the first: its call would be missing. */
function canStart(message: ModelMessage): boolean {
  return message.role !== 'tool' && message.seq !== undefined && message.seq !== summarySeq
}
