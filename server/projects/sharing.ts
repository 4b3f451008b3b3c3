/** Ending what somebody has in a project: the right goes first, then the work that rested on it. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Store } from '../storage/index.ts'

export interface SharingParts {
  readonly store: Pick<Store, 'projects' | 'shares' | 'runs' | 'transaction'>
  /** Stops a run and waits for it. One that ends by itself meanwhile is as good. */
  readonly stopRun: (owner: Owner, runId: string) => Promise<unknown>
}

/**
 * Stop sharing a project with somebody.
 *
 * Contract: when it resolves nothing of theirs works in it. Their chats and runs stay theirs.
 * Refuses: thing_unknown.
 */
export async function endShare(
  parts: SharingParts,
  owner: Owner,
  share: { readonly projectId: string; readonly shareId: string },
): Promise<Result<'ended'>> {
  const ended = parts.store.shares.end(owner, share)
  if (!ended.ok) return ended
  const guest = ended.value
  if (guest) await stopGuests(parts, owner, (run) => run.projectId === share.projectId && run.userId === guest.userId)
  return ok('ended')
}

/** Give a project back. Refuses: thing_unknown. */
export async function leaveProject({ store, stopRun }: SharingParts, guest: Owner, projectId: string): Promise<Result<'left'>> {
  const left = store.shares.leave(guest, projectId)
  if (!left.ok) return left
  const working = store.runs.listActive(guest).filter((run) => run.projectId === projectId)
  await Promise.all(working.map(({ id }) => stopRun(guest, id)))
  return left
}

/**
 * Remove a project: end its shares, stop the runs of guests, erase the owner's chats in it.
 *
 * Contract: its directory is not touched. A run of the owner is not stopped but waited for.
 * Refuses: thing_unknown, project_busy.
 */
export async function removeProject(parts: SharingParts, owner: Owner, projectId: string): Promise<Result<'removed'>> {
  const { store } = parts
  const ended = store.transaction((): Result<'ended'> => {
    if (store.projects.get(owner, projectId) === null) return refuse('thing_unknown', { kind: 'project' })
    if (store.runs.listActive(owner).some((run) => run.projectId === projectId)) return refuse('project_busy')
    store.shares.endAll(owner, projectId)
    return ok('ended')
  })
  if (!ended.ok) return ended
  await stopGuests(parts, owner, (run) => run.projectId === projectId)
  const removed = store.projects.remove(owner, projectId)
  return removed.ok ? ok('removed') : removed
}

/** Stop every run that works for an account or in what it shares. Contract: their rights went before. */
export async function stopWorkOf({ store, stopRun }: SharingParts, owner: Owner): Promise<void> {
  const own = store.runs.listActive(owner).map(({ id }) => stopRun(owner, id))
  await Promise.all([...own, ...store.projects.listGuestRuns(owner).map((run) => stopRun(run, run.runId))])
}

async function stopGuests(
  { store, stopRun }: SharingParts,
  owner: Owner,
  isMeant: (run: { readonly projectId: string; readonly userId: string }) => boolean,
): Promise<void> {
  await Promise.all(
    store.projects
      .listGuestRuns(owner)
      .filter(isMeant)
      .map((run) => stopRun(run, run.runId)),
  )
}
