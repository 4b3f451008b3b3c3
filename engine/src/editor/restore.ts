/** Putting files back: several contents over several files as one transaction, with the record in its middle. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { type Grants, requireGrant } from '../kernel/index.ts'
import type { StagedFile, StageRequest, Workspace } from '../workspace/index.ts'
import { takeBack } from './apply.ts'

export interface RestoreContext {
  readonly workspace: Workspace
  readonly grants: Grants
}

export interface Restoration {
  readonly files: readonly StageRequest[]
  /**
   * Record the change. Called once, when every file is changed and each can still be taken back.
   *
   * Contract: a refusal or a throw takes all of them back.
   */
  readonly record: () => Promise<Result<unknown>>
}

/**
 * Write and remove every file, or none, and record it.
 *
 * Contract: on a refusal or a throw every file is as it was, unless somebody changed it in these
 * moments; then theirs stays. Contents are on the disk before the first file changes.
 * Refuses: capability_denied, stale_file, file_exists, write_failed, what the paths and `record` refuse.
 */
export async function restoreFiles({ workspace, grants }: RestoreContext, { files, record }: Restoration): Promise<Result<null>> {
  const grant = requireGrant(grants, 'repository_mutation')
  if (!grant.ok) return grant
  const staged: StagedFile[] = []
  try {
    for (const request of files) {
      const file = await workspace.stage(grant.value, request)
      if (!file.ok) return takeBack(staged, file)
      staged.push(file.value)
    }
    for (const file of staged) {
      const committed = await file.commit()
      if (!committed.ok) return takeBack(staged, committed)
    }
    const recorded = await record()
    if (!recorded.ok) return takeBack(staged, recorded)
  } catch (fault) {
    await takeBack(staged, null)
    throw fault
  }
  for (const file of staged) await file.finish()
  return ok(null)
}
