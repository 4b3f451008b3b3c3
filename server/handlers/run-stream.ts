/**
 * Watching a run. All that this file reaches is the feed and the record of runs: a GET cannot start,
 * bill or stop anything, and a rule of the gate keeps it so, types included.
 */
import type { Handlers, run } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Feed } from '../runs/feed.ts'
import type { Runs } from '../storage/index.ts'

export interface RunStreamParts {
  readonly feed: Pick<Feed, 'subscribe'>
  readonly runs: Pick<Runs, 'get'>
}

export function createRunStream({ feed, runs }: RunStreamParts): Handlers<typeof run, CallContext>['stream'] {
  return async (context, { runId }) => {
    const { userId } = callerOf(context)
    if (!runs.get({ userId }, runId)) return refuse('thing_unknown', { kind: 'run' })
    return ok(feed.subscribe({ userId, runId }, context.lastEventId, context.signal))
  }
}
