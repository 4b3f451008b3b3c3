/** A turn as the screen shows it: what was asked, what was said, what was done, and how it ended. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type {
  Beat,
  BeatPayload,
  CallStatus,
  Capability,
  ChildScope,
  ClaimVerdict,
  Details,
  Headline,
  Outcome,
  Run,
  Waiting,
} from '@bridlewise/shared/wire'

/** How a row stands. `blocked` never ran; `unknown` may have happened and nobody saw its end. */
export type RowState = 'running' | 'blocked' | 'unknown' | CallStatus

/** One call of the model, from the moment it was admitted or stopped. */
export interface TurnRow {
  readonly kind: 'row'
  readonly callId: string
  readonly step: number
  readonly tool: string
  readonly capability: Capability | null
  readonly headline: Headline
  readonly input: unknown
  readonly state: RowState
  readonly summary: string
  /** What the model was given to read; empty until the call ended. */
  readonly text: string
  readonly details: Details | null
  /** The end of the live output, while the call runs and until its result takes over. */
  readonly live: string
  readonly refusal: Refusal | null
  readonly effects: readonly BeatPayload<'effect'>[]
  /** The child that carries it out; null for a call of a tool. */
  readonly child: TurnChild | null
  readonly startedAt: number
  readonly ms: number | null
}

/** A turn inside a turn, with what it was given. */
export interface TurnChild {
  readonly scope: ChildScope
  readonly turn: Turn
}

/** Prose of the model. `settled` once the ledger holds it; until then it is what streamed so far. */
export interface TurnText {
  readonly kind: 'text'
  readonly step: number
  readonly text: string
  readonly settled: boolean
}

/** What the model thought aloud. It streams by and is not recorded. */
export interface TurnReasoning {
  readonly kind: 'reasoning'
  readonly step: number
  readonly text: string
}

export interface TurnFinding {
  readonly kind: 'finding'
  readonly id: string
  readonly finding: BeatPayload<'finding'>
}

/** What an answer claims, sentence by sentence, and the rows that each rests on. */
export interface TurnClaims {
  readonly kind: 'claims'
  readonly id: string
  readonly sentences: readonly TurnClaim[]
  /** Paths changed after the last green check; empty where there were none. */
  readonly unchecked: readonly string[]
  readonly fabrication: string | null
  /** The model was asked again because of it. */
  readonly nudged: boolean
}

export interface TurnClaim {
  readonly text: string
  readonly verdict: ClaimVerdict
  readonly reason: string
  /** Calls whose rows show it. */
  readonly callIds: readonly string[]
}

/** What the person said while the run was at work. */
export interface TurnSaid {
  readonly kind: 'said'
  readonly id: string
  readonly text: string
  readonly at: number
}

/** From here on a summary stands for what came before. */
export interface TurnCompaction {
  readonly kind: 'compaction'
  readonly id: string
  readonly compaction: BeatPayload<'compaction'>
}

/** Messages that the endpoint did not take, and that are left out since. */
export interface TurnQuarantine {
  readonly kind: 'quarantine'
  readonly id: string
  readonly quarantine: BeatPayload<'quarantine'>
}

export type TurnPart = TurnRow | TurnText | TurnReasoning | TurnFinding | TurnClaims | TurnSaid | TurnCompaction | TurnQuarantine

/** One request to the model: what left, and what it cost. */
export interface TurnRequest {
  readonly id: string
  readonly step: number
  readonly at: number
  readonly egress: BeatPayload<'request'>['egress']
  /** How full the model's window was with it; absent in records that are older than the meter. */
  readonly context?: BeatPayload<'request'>['context']
  readonly response: BeatPayload<'response'> | null
}

export interface Turn {
  readonly runId: string
  /** The call whose child it is; null for the turn of a person. */
  readonly callId: string | null
  readonly prompt: { readonly text: string; readonly at: number } | null
  /** The run as last reported; null while only beats are known. */
  readonly run: Run | null
  readonly started: BeatPayload<'run_started'> | null
  readonly parts: readonly TurnPart[]
  readonly requests: readonly TurnRequest[]
  readonly beats: readonly Beat[]
  /** What it waits for right now, when that lasts; null as soon as something came. */
  readonly waiting: Waiting | null
  /** Grows whenever a request of it begins to wait for the person, or is answered: which do is asked of the server then. */
  readonly holds: number
  readonly outcome: Outcome | null
  readonly startedAt: number | null
}

export function emptyTurn(runId: string, callId: string | null = null): Turn {
  return {
    runId,
    callId,
    prompt: null,
    run: null,
    started: null,
    parts: [],
    requests: [],
    beats: [],
    waiting: null,
    holds: 0,
    outcome: null,
    startedAt: null,
  }
}

/** A row before anything but its call or its end is known. */
export function newRow(given: Pick<TurnRow, 'callId' | 'tool' | 'headline' | 'startedAt'> & Partial<TurnRow>): TurnRow {
  return {
    kind: 'row',
    step: 0,
    capability: null,
    input: null,
    state: 'running',
    summary: '',
    text: '',
    details: null,
    live: '',
    refusal: null,
    effects: [],
    child: null,
    ms: null,
    ...given,
  }
}

/** Its rows, each followed by those of its child. */
export function rowsOf(turn: Turn): TurnRow[] {
  const rows = turn.parts.filter((part) => part.kind === 'row')
  return rows.flatMap((row) => (row.child ? [row, ...rowsOf(row.child.turn)] : [row]))
}
