/** The application: all files staged, then all committed; the first failure takes back what was done. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Grant } from '../kernel/index.ts'
import type { StagedFile, Workspace } from '../workspace/index.ts'
import type { PlannedFile } from './plan.ts'
import type { EditedFile } from './request.ts'

/**
 * Write every planned file, or none.
 *
 * Contract: contents are on the disk before the first file changes, so that a full disk is met while
 * nothing is lost. A file that changed since it was planned stops the transaction. When one fails,
 * those before it get their old inode back, unless somebody has changed them in these moments; then theirs stays.
 * Refuses: stale_file, file_exists, write_failed, and what the paths refuse.
 */
export async function commitAll(
  workspace: Workspace,
  grant: Grant<'repository_mutation'>,
  { planned, tag }: { readonly planned: readonly PlannedFile[]; readonly tag: string },
): Promise<Result<readonly EditedFile[]>> {
  const staged: StagedFile[] = []
  try {
    for (const { path, bytes, before } of planned) {
      const file = await workspace.stage(grant, { path, bytes, replaces: before, tag })
      if (!file.ok) return await takeBack(staged, file)
      staged.push(file.value)
    }
    for (const file of staged) {
      const committed = await file.commit()
      if (!committed.ok) return await takeBack(staged, committed)
    }
  } catch (fault) {
    await takeBack(staged, null)
    throw fault
  }
  for (const file of staged) await file.finish()
  return ok(planned.map(({ path, before, after, mode, diff }) => ({ path, before, after, mode, diff })))
}

/** Undo in reverse, so that directories empty out before they are removed. */
export async function takeBack<R>(staged: readonly StagedFile[], reason: R): Promise<R> {
  for (const file of staged.toReversed()) await file.undo()
  return reason
}
