/** What the room needs and what it offers. */
import type { Clock, Grants, Ids, ToolRegistry } from '@bridlewise/engine'
import type { Result } from '@bridlewise/shared/refusals'
import type { HoldAnswer, ModelChoice, Run, RunMode, WaitingMessage } from '@bridlewise/shared/wire'
import type { Budget } from '../budget/index.ts'
import type { Confinement } from '../confinement/index.ts'
import type { Held, HoldPlace, Holds } from '../egress/index.ts'
import type { Bridge } from '../llm/bridge.ts'
import type { Owner, Store } from '../storage/index.ts'
import type { Feed } from './feed.ts'
import type { Continued } from './ticket.ts'

export interface RunParts {
  readonly store: Store
  readonly bridge: Bridge
  readonly budget: Budget
  readonly confinement: Pick<Confinement, 'processPort'>
  readonly tools: ToolRegistry
  readonly holds: Holds
  readonly feed: Feed
  readonly clock: Clock
  readonly ids: Ids
  /** What the root policy admits, asked at each start; a refusal stops the start. */
  readonly grants: () => Result<Grants>
  /** Every provider plays recorded words, and every run says so. */
  readonly fixtures: boolean
  /** Log what broke, and name the entry. Contract: the id may be shown to anyone. */
  readonly reportFault: (fault: unknown) => string
  readonly limits: RunLimits
}

export interface RunLimits {
  /** Active runs of one owner. */
  readonly active: number
  /** A claim is prolonged three times in this many milliseconds. */
  readonly leaseMs: number
  /** How long a stopped run may take to end by itself before it is ended from outside. Milliseconds. */
  readonly stopMs: number
  /** When an ending could not be stored it is tried again after so many milliseconds. */
  readonly endAgainMs: number
  /** How long a request waits for the person who wants to see it first. Milliseconds. */
  readonly holdMs: number
}

export interface StartRequest extends Owner {
  readonly prompt: string
  readonly projectId?: string | undefined
  readonly chatId?: string | undefined
  readonly model?: ModelChoice | undefined
  readonly mode: RunMode
  /** One run an owner and key: a second start with it gets the first run. */
  readonly idempotencyKey: string | null
  /** The waiting message that these words were; it is gone once the run exists. */
  readonly waitingId?: string | undefined
  readonly continues?: Continued | undefined
  /** `compact`: nothing is asked of the model but a summary. */
  readonly task?: 'compact' | undefined
}

/** Words for a chat whose run is active. */
export interface Words extends Owner {
  readonly runId: string
  readonly text: string
}

export interface FollowUp extends Words {
  readonly mode: RunMode
  readonly model?: ModelChoice | undefined
}

/** Something that was asked for with a key of its own. */
export interface Asked extends Owner {
  readonly id: string
  readonly idempotencyKey: string | null
}

/** To a request that waits; `digest` is of the body that was shown. */
export interface AnswerToHeld extends HoldPlace {
  readonly digest: string
  readonly answer: HoldAnswer
}

export interface RunControl {
  /**
   * Start a run and return at once; it goes on until it ends, is stopped, or the process dies.
   *
   * Contract: a refusal leaves nothing behind.
   * Refuses: provider_not_configured, model_not_chosen, model_not_configured, provider_key_missing,
   * thing_unknown, project_missing, project_unshared, project_busy, chat_busy, run_too_many,
   * capability_denied, session_missing when the account is gone, server_stopping.
   */
  start(request: StartRequest): Promise<Result<Run>>
  /**
   * Stop a run; resolves once it has ended, within five seconds.
   *
   * Refuses: thing_unknown, run_already_ended.
   */
  cancel(owner: Owner, runId: string): Promise<Result<Run>>
  /**
   * Say something to an active run: it reaches the model before its next request, and at the latest
   * instead of the run's end. What a run ends without is queued behind it.
   *
   * Refuses: thing_unknown, run_already_ended, waiting_full.
   */
  steer(words: Words): Result<WaitingMessage>
  /**
   * Ask for a run behind an active one. It starts once that one completed; when it ended in another way,
   * or when it cannot start, the message stays and says so.
   *
   * Refuses: thing_unknown, run_already_ended, waiting_full.
   */
  queue(followUp: FollowUp): Result<WaitingMessage>
  /** Start what waits, now. Refuses: thing_unknown, and what `start` refuses. */
  startWaiting(asked: Asked): Promise<Result<Run>>
  /**
   * Go on where a run stopped, in a new run of its chat that names what may have happened without anybody's
   * knowledge. Contract: nothing else ever continues a run.
   * Refuses: thing_unknown, run_still_active, run_not_continuable, and what `start` refuses.
   */
  continueRun(asked: Asked): Promise<Result<Run>>
  /**
   * Summarise the earlier turns of the chat `id`, as a run of its own.
   *
   * Refuses: what `start` refuses, and compaction_pointless for a chat in which nothing was said.
   */
  compact(asked: Asked): Promise<Result<Run>>
  /** The requests of a run that wait until the person has looked. Refuses: thing_unknown. */
  held(owner: Owner, runId: string): Result<readonly Held[]>
  /** Send one of them, or stop the run. Refuses: thing_unknown, hold_over, run_already_ended. */
  answerHeld(answer: AnswerToHeld): Promise<Result<Run>>
  /** At boot, before anything is served: end the runs of dead processes. Gives how many there were. */
  recover(): Promise<number>
  /** Interrupt what is active and wait for it. Nothing starts any more. */
  close(): Promise<void>
}
