/** The room put together: what is active, and the four things that can be asked of it. */
import { refuse } from '@bridlewise/shared/refusals'
import { ActiveRuns } from './active.ts'
import { stopRun } from './cancel.ts'
import type { RunControl, RunLimits, RunParts } from './control.ts'
import { executeRun } from './execute.ts'
import { recoverRuns } from './recover.ts'
import { startRun } from './start.ts'

export const usualLimits: RunLimits = { active: 20, leaseMs: 30_000, stopMs: 4_500, endAgainMs: 5_000 }

/** Make the room. Contract: nothing starts, and nothing is read, until it is asked. */
export function createRuns(given: Omit<RunParts, 'limits'> & { readonly limits?: Partial<RunLimits> }): RunControl {
  const parts: RunParts = { ...given, limits: { ...usualLimits, ...given.limits } }
  const active = new ActiveRuns()
  let closing = false

  return {
    async start(request) {
      if (closing) return refuse('server_stopping')
      return startRun(parts, request, (ticket) => active.launch(ticket.scope, (signal) => executeRun(parts, ticket, signal)))
    },
    cancel: ({ userId }, runId) => stopRun(parts, active, { userId, runId, reason: 'cancelled' }),
    recover: () => recoverRuns(parts),
    async close() {
      closing = true
      const stops = active.all().map(({ userId, runId }) => stopRun(parts, active, { userId, runId, reason: 'interrupted' }))
      // What cannot be recorded now is recorded by the next start.
      for (const stop of await Promise.allSettled(stops)) if (stop.status === 'rejected') parts.reportFault(stop.reason)
    },
  }
}
