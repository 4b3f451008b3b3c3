/** Stopping runs: asked nicely first, and ended in the record when that takes too long. */
import { makeRefusal, ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Outcome, Run } from '@bridlewise/shared/wire'
import type { Owner } from '../storage/index.ts'
import type { ActiveRuns, StopReason } from './active.ts'
import type { RunParts } from './control.ts'
import { endFromOutside } from './end.ts'
import type { RunTally } from './tally.ts'

type StopParts = Pick<RunParts, 'store' | 'feed' | 'clock' | 'ids' | 'limits' | 'budget'>

/** A run of an owner that is to be stopped, and why. */
export interface Stop extends Owner {
  readonly runId: string
  readonly reason: StopReason
}

/**
 * Stop a run and wait until it has ended.
 *
 * Contract: resolves within `limits.stopMs` and a moment. Two callers at once both get the ended
 * run; there is one terminal frame.
 * Refuses: thing_unknown, run_already_ended.
 */
export async function stopRun(parts: StopParts, active: ActiveRuns, stop: Stop): Promise<Result<Run>> {
  const run = parts.store.runs.get(stop, stop.runId)
  if (!run) return refuse('thing_unknown', { kind: 'run' })
  if (run.outcome) return refuse('run_already_ended', { status: run.status })
  await active.stop(run.id, stop.reason, parts.limits.stopMs)
  const after = parts.store.runs.get(stop, run.id)
  if (after?.outcome) return ok(after)
  const scope = { userId: stop.userId, runId: run.id, chatId: run.chatId }
  return endFromOutside(parts, scope, (tally) => stopped(stop.reason, tally))
}

export function stopped(reason: StopReason, tally: RunTally): Outcome {
  if (reason === 'cancelled') return { kind: 'cancelled', ...tally }
  return { kind: 'interrupted', ...tally, refusal: makeRefusal('run_interrupted') }
}
