/** The application: all files staged, then all changed; the first failure takes back what was done. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Grant } from '../kernel/index.ts'
import type { StagedFile, StageRequest, Workspace } from '../workspace/index.ts'

export interface FilesChange {
  readonly files: readonly StageRequest[]
  /**
   * Called once, when every file is changed and each can still be taken back.
   *
   * Contract: a refusal or a throw takes all of them back.
   */
  readonly record: () => Promise<Result<unknown>>
}

/**
 * Write and remove every file, or none, and record it.
 *
 * Contract: contents are on the disk before the first file changes, so that a full disk is met while
 * nothing is lost. A file that changed since it was planned stops the transaction. On a refusal or a throw
 * each gets its old inode back, unless somebody has changed it in these moments; then theirs stays.
 * Refuses: stale_file, file_exists, write_failed, what the paths and `record` refuse.
 */
export async function changeFiles(
  workspace: Workspace,
  grant: Grant<'repository_mutation'>,
  { files, record }: FilesChange,
): Promise<Result<null>> {
  const staged: StagedFile[] = []
  try {
    for (const request of files) {
      const file = await workspace.stage(grant, request)
      if (!file.ok) return await takeBack(staged, file)
      staged.push(file.value)
    }
    for (const file of staged) {
      const committed = await file.commit()
      if (!committed.ok) return await takeBack(staged, committed)
    }
    const recorded = await record()
    if (!recorded.ok) return await takeBack(staged, recorded)
  } catch (fault) {
    await takeBack(staged, null)
    throw fault
  }
  for (const file of staged) await file.finish()
  return ok(null)
}

/** Undo in reverse, so that directories empty out before they are removed. */
async function takeBack<R>(staged: readonly StagedFile[], reason: R): Promise<R> {
  for (const file of staged.toReversed()) await file.undo()
  return reason
}
