/** Putting files back: several contents over several files as one transaction, with the record in its middle. */
import type { Result } from '@bridlewise/shared/refusals'
import { type Grants, requireGrant } from '../kernel/index.ts'
import type { Workspace } from '../workspace/index.ts'
import { changeFiles, type FilesChange } from './apply.ts'

export interface RestoreContext {
  readonly workspace: Workspace
  readonly grants: Grants
}

export type Restoration = FilesChange

/** As `changeFiles`, for who holds the grants. Refuses also: capability_denied. */
export async function restoreFiles({ workspace, grants }: RestoreContext, restoration: Restoration): Promise<Result<null>> {
  const grant = requireGrant(grants, 'repository_mutation')
  return grant.ok ? changeFiles(workspace, grant.value, restoration) : grant
}
