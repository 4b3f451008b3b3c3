/** The right to execute a run, and to change a tree while it lasts. The database decides both. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Execution } from '../storage/index.ts'
import type { ActiveRun } from './active.ts'
import type { RunParts } from './control.ts'
import type { RunProject } from './ticket.ts'

/**
 * Claim a run for execution: the executor's first effect.
 *
 * Contract: for one run id at most one caller, in any process, ever gets `ok`. The row decides;
 * memory is never consulted.
 * Refuses: run_already_claimed, thing_unknown.
 */
export function claimRun({ store, clock, limits }: RunParts, run: ActiveRun): Result<Execution> {
  return store.executions.claim(run, run.runId, { now: clock.now(), leaseMs: limits.leaseMs })
}

/**
 * Prolong a claim until the returned function is called, or the run is told to stop: it ends within one lease then.
 *
 * Contract: a claim that cannot be prolonged is reported and harms nobody: a timer must not end the server.
 */
export function keepClaim(parts: RunParts, run: ActiveRun, signal: AbortSignal): () => void {
  const { store, clock, limits } = parts
  const beat = () => {
    try {
      store.executions.heartbeat(run, run.runId, { now: clock.now(), leaseMs: limits.leaseMs })
    } catch (cause) {
      parts.reportFault(cause)
    }
  }
  const timer = setInterval(beat, limits.leaseMs / 3)
  timer.unref()
  const stop = () => clearInterval(timer)
  signal.addEventListener('abort', stop, { once: true })
  return stop
}

/**
 * Keep other runs from changing the same tree. It is given back when the run ends, whatever ends it.
 *
 * Refuses: project_busy.
 */
export function takeTree({ store, clock }: RunParts, project: RunProject, run: ActiveRun): Result<'taken'> {
  return store.leases.take(run, project.tree, { runId: run.runId, at: clock.now() })
}
