/** At boot: what was active when its server died is ended in the record. Nothing is executed again. */
import { stopped } from './cancel.ts'
import type { RunParts } from './control.ts'
import { endFromOutside } from './end.ts'

/**
 * End the runs of dead owners as `interrupted`.
 *
 * Contract: called before anything is served. Calls without a result become `unknown`: nobody knows
 * whether they had an effect. Gives how many runs there were.
 */
export async function recoverRuns(parts: Pick<RunParts, 'store' | 'feed' | 'clock' | 'ids' | 'budget'>): Promise<number> {
  const orphans = parts.store.executions.listOrphans()
  for (const { runId, userId, chatId } of orphans) {
    parts.feed.open(runId, parts.store.frames.lastNumber({ userId }, runId))
    await endFromOutside(parts, { userId, runId, chatId }, (tally) => stopped('interrupted', tally))
  }
  // A run may have ended well just before; what waited behind it has had its server stop too.
  parts.store.waiting.holdAll('interrupted')
  return orphans.length
}
