/** The room put together: what is active, and the four things that can be asked of it. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Run } from '@bridlewise/shared/wire'
import { createHolds } from '../egress/index.ts'
import { ActiveRuns } from './active.ts'
import { stopRun } from './cancel.ts'
import { compaction } from './compact.ts'
import { continuation } from './continue.ts'
import type { RunControl, RunLimits, RunParts, StartRequest } from './control.ts'
import { executeRun } from './execute.ts'
import { answerHeld } from './held.ts'
import { recoverRuns } from './recover.ts'
import { startRun } from './start.ts'
import { createNaming } from './title.ts'
import { queueBehind, requestOf, startNext, steerRun } from './waiting.ts'

export const usualLimits: RunLimits = { active: 20, leaseMs: 30_000, stopMs: 4_500, endAgainMs: 5_000, holdMs: 10 * 60_000 }

/** Make the room. Contract: nothing starts, and nothing is read, until it is asked. */
export function createRuns(given: Omit<RunParts, 'limits' | 'holds'> & { readonly limits?: Partial<RunLimits> }): RunControl {
  const limits = { ...usualLimits, ...given.limits }
  const holds = createHolds({ clock: given.clock, ids: given.ids, holdMs: limits.holdMs })
  const parts: RunParts = { ...given, limits, holds }
  const active = new ActiveRuns()
  const naming = createNaming(parts)
  let closing = false

  const start = async (request: StartRequest): Promise<Result<Run>> => {
    if (closing) return refuse('server_stopping')
    return startRun(parts, request, (ticket) =>
      active.launch(ticket.scope, async (signal) => {
        await executeRun(parts, ticket, signal)
        naming.begin(ticket)
        await startNext(parts, ticket.scope, start).catch(parts.reportFault)
      }),
    )
  }

  const cancel: RunControl['cancel'] = ({ userId }, runId) => stopRun(parts, active, { userId, runId, reason: 'cancelled' })

  return {
    start,
    steer: (words) => steerRun(parts, words),
    queue: (followUp) => queueBehind(parts, followUp),
    async startWaiting({ userId, id }) {
      const message = parts.store.waiting.get({ userId }, id)
      return message ? start(requestOf({ userId }, message)) : refuse('thing_unknown', { kind: 'waiting message' })
    },
    async continueRun(asked) {
      const request = continuation(parts, asked)
      return request.ok ? start(request.value) : request
    },
    async compact(asked) {
      const request = compaction(parts, asked)
      return request.ok ? start(request.value) : request
    },
    cancel,
    held: (owner, runId) =>
      parts.store.runs.get(owner, runId) ? ok(holds.list(owner, runId)) : refuse('thing_unknown', { kind: 'run' }),
    answerHeld: (answer) => answerHeld(parts, answer, () => cancel(answer, answer.runId)),
    recover: () => recoverRuns(parts),
    async close() {
      closing = true
      await naming.close()
      const stops = active.all().map(({ userId, runId }) => stopRun(parts, active, { userId, runId, reason: 'interrupted' }))
      // What cannot be recorded now is recorded by the next start.
      for (const stop of await Promise.allSettled(stops)) if (stop.status === 'rejected') parts.reportFault(stop.reason)
    },
  }
}
