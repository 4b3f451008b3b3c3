/**
 * Watching a run. All that this file reaches is the feed and the record of runs: a GET cannot start,
 * bill or stop anything, and a rule of the gate keeps it so, types included.
 */
import type { Handlers, run } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { Frame, Run } from '@bridlewise/shared/wire'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Feed } from '../runs/feed.ts'
import type { Owner, Projects, Retention, Runs } from '../storage/index.ts'

export interface RunStreamParts {
  readonly feed: Pick<Feed, 'subscribe'>
  readonly runs: Pick<Runs, 'get'>
  readonly retention: Pick<Retention, 'checkStream'>
  readonly projects: Pick<Projects, 'reach'>
}

export function createRunStream({
  feed,
  retention,
  runs,
  projects,
}: RunStreamParts): Handlers<typeof run, CallContext>['stream'] {
  /** What a run did stays its owner's to read; what it does in a project goes with the right to the project. */
  const isOpen = (owner: Owner, runId: string, projectId: string) =>
    projects.reach(owner, projectId) !== null || runs.get(owner, runId)?.outcome !== null

  return async (context, { runId }) => {
    const { userId } = callerOf(context)
    const found = runs.get({ userId }, runId)
    if (!found) return refuse('thing_unknown', { kind: 'run' })
    const { projectId } = found
    if (projectId !== null) {
      if (!isOpen({ userId }, runId, projectId)) return refuse('project_unshared')
      context.keepWhile(() => isOpen({ userId }, runId, projectId))
    }
    const kept = retention.checkStream({ userId }, runId)
    if (!kept.ok) return context.lastEventId === null ? kept : ok(tellEnd(found))
    return ok(feed.subscribe({ userId, runId }, context.lastEventId, context.signal))
  }
}

/** For a viewer that has a part of a stream of which nothing is kept: how the run stands. What it did stays in the ledger. */
async function* tellEnd(run: Run): AsyncGenerator<Frame> {
  yield { number: 0, kind: 'resync', run }
  yield { number: 1, kind: 'ended', run }
}
