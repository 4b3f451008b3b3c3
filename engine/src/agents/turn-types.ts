/** What a turn is given and what it gives: the words of its front door. */
import type { Beat, ChildScope, ModelMessage, RunMode, Waiting } from '@bridlewise/shared/wire'
import type { Grants, ModelPort, Ports } from '../kernel/index.ts'
import type { ToolRegistry } from '../tools/index.ts'
import type { Withholding } from '../workspace/index.ts'
import type { AttemptLimits } from './attempts.ts'
import type { ContextInput } from './context/input.ts'
import type { Purse } from './purse.ts'

export interface RunScope {
  readonly runId: string
  readonly chatId: string
  readonly mode: RunMode
  /** The directory the tools work in; null for a chat without one. `root` is absolute. */
  readonly project: {
    readonly id: string
    readonly name: string
    readonly root: string
    /** What no tool may read or write, because no model may see it; nothing unless given. */
    readonly withheld?: Withholding
  } | null
  /** Present in a child: what it was given. */
  readonly child?: ChildScope
}

export interface TurnContext {
  readonly ports: Ports
  readonly grants: Grants
  readonly tools: ToolRegistry
  readonly scope: RunScope
  /** Absent where nothing is paid for. */
  readonly purse?: Purse
  /** The model that writes summaries of earlier turns; the turn's own unless given. Children have the same. */
  readonly summaries?: Voice
  /**
   * Log what broke inside a tool or a port, and name the entry.
   *
   * Contract: gets everything that was thrown, gives back an opaque id that may be shown to anyone.
   */
  readonly reportFault: (fault: unknown) => string
  /** From 0 to 1, for spreading attempts; `Math.random` unless given. */
  readonly chance?: () => number
}

/** A model beside the turn's own, with its own name and window. */
export interface Voice {
  readonly model: ModelPort
  readonly modelId: string
  /** What it takes, in tokens; null when nobody knows. */
  readonly window: number | null
}

export interface TurnInput {
  readonly modelId: string
  /** What the person asked, as written. */
  readonly prompt: string
  /** The chat before this turn, without a system message; see `historyFromBeats`. */
  readonly history: readonly ModelMessage[]
  /** What else bears on what the model reads; nothing is known of what is left out. */
  readonly context?: Partial<ContextInput>
  readonly limits?: Partial<TurnLimits>
  /**
   * What the person said since the turn began, oldest first; asked before each request and before the end.
   *
   * Contract: a message is given until its beat is in the ledger, and never again after that.
   */
  readonly steering?: () => readonly SteeringMessage[]
}

export interface SteeringMessage {
  readonly messageId: string
  readonly text: string
}

export interface TurnLimits extends AttemptLimits {
  /** Requests to the model. */
  readonly steps: number
  /** Calls the model makes, blocked ones included. */
  readonly calls: number
  /** Wall time of the whole turn, in milliseconds. */
  readonly wallMs: number
  /** Steps in a row in which the gate stopped every call. */
  readonly blockedSteps: number
  /** Steps in a row that only repeated earlier calls and brought nothing new. */
  readonly repeatedSteps: number
  /** Steps in a row that brought nothing new and changed nothing. */
  readonly barrenSteps: number
}

const attempts: AttemptLimits = { attempts: 3, backoffMs: 1_000, longestWaitMs: 5 * 60 * 1000 }

export const defaultLimits: TurnLimits = {
  steps: 100,
  calls: 400,
  wallMs: 2 * 60 * 60 * 1000,
  blockedSteps: 5,
  repeatedSteps: 5,
  barrenSteps: 12,
  ...attempts,
}

/**
 * What happens while a turn runs, in order.
 *
 * `text` and `reasoning` are pieces to append; `output` is what a running tool prints, a preview of
 * its result; `waiting` is a countdown, see `Waiting`; `beat` is an entry the ledger already holds.
 * `within` is the call whose child it comes from, absent where it is the turn's own.
 */
export type TurnEvent =
  | ({ readonly type: 'text'; readonly step: number; readonly text: string } & Within)
  | ({ readonly type: 'reasoning'; readonly step: number; readonly text: string } & Within)
  | ({ readonly type: 'output'; readonly callId: string; readonly stream: 'stdout' | 'stderr'; readonly text: string } & Within)
  | ({ readonly type: 'waiting' } & Waiting & Within)
  | { readonly type: 'beat'; readonly beat: Beat }

interface Within {
  readonly within?: string
}
