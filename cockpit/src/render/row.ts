/** One call of a turn as a row, and how it reads. */

import type { Refusal } from '@bridlewise/shared/refusals'
import type { CallStatus, Details, Headline, Receipt } from '@bridlewise/shared/wire'
import { readState } from '../parts/tone.ts'

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

/** The state to show, and the words beside its mark; null when the result speaks for itself. */
export function shownState(row: Row): { readonly state: string; readonly label: string | undefined } | null {
  if (row.state !== 'done') return { state: row.state, label: undefined }
  return hasFailedExit(row) ? { state: 'failed', label: row.summary || undefined } : null
}

/** Whether the guardian held the process; null for a call that started none. */
export function confinementOf(row: Row): Receipt | 'none' | null {
  if (row.details?.kind !== 'terminal') return null
  return row.details.receipt ?? 'none'
}

/** The result where the state has not said it already. */
export function shownSummary(row: Row): string {
  if (row.state === 'done') return hasFailedExit(row) ? '' : row.summary
  return row.summary === readState(row.state).word ? '' : row.summary
}

function hasFailedExit({ details }: Row): boolean {
  return details?.kind === 'terminal' && details.exitCode !== 0
}
