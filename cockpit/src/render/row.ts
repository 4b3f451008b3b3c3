/** One call of a turn as a row, and how it reads. */

import type { Refusal } from '@bridlewise/shared/refusals'
import type { CallStatus, Details, Headline, Receipt } from '@bridlewise/shared/wire'

/** What a row needs to know of a call. A richer record of the call fits as it is. */
export interface Row {
  readonly callId: string
  readonly headline: Headline
  /** `blocked` never ran; `unknown` may have happened and nobody saw its end. */
  readonly state: 'running' | 'blocked' | 'unknown' | CallStatus
  /** A few words of the result: `exit 1 · 2 failed`. */
  readonly summary: string
  /** What the model was given to read; empty until the call ended. */
  readonly text: string
  readonly details: Details | null
  /** Output so far, while it runs. */
  readonly live: string
  readonly refusal: Refusal | null
  readonly startedAt: number
  readonly ms: number | null
}

/** The state to show beside the result; null when the result speaks for itself. */
export function shownState(row: Row): string | null {
  if (row.state !== 'done') return row.state
  return hasFailedExit(row) ? 'failed' : null
}

/** Whether the guardian held the process; null for a call that started none. */
export function confinementOf(row: Row): Receipt | 'none' | null {
  if (row.details?.kind !== 'terminal') return null
  return row.details.receipt ?? 'none'
}

/** The result beside the state: nothing is said twice. */
export function shownSummary(row: Row): string {
  const state = shownState(row)?.replaceAll('_', ' ')
  return row.summary === state || (row.state === 'unknown' && row.summary === 'outcome unknown') ? '' : row.summary
}

function hasFailedExit({ details }: Row): boolean {
  return details?.kind === 'terminal' && details.exitCode !== 0
}
