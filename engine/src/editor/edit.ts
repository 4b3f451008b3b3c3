/** The edit, start to end: plan everything, then apply everything, or nothing. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type FileChange, requireGrant } from '../kernel/index.ts'
import { changeFiles } from './apply.ts'
import { planEdits } from './plan.ts'
import type { Edit, EditContext, EditedFile, EditOutcome } from './request.ts'

/** More edits in one call are a sign of a loop, and of a diff that nobody reads. */
const maxEdits = 100

/**
 * Apply several edits over several files as one transaction.
 *
 * Contract: on a refusal every file is as it was. On `ok` all are changed and durable, and the run's
 * read log knows the new digests. Edits of one file see the result of those before them. The signal
 * counts until the first file is changed, not after. A process that dies in the middle takes all of it
 * back at its next start.
 * Refuses: capability_denied, edit_too_many, what `planEdits` refuses, stale_file, file_exists, write_failed.
 */
export async function applyEdits(
  context: EditContext,
  edits: readonly Edit[],
  signal?: AbortSignal,
): Promise<Result<EditOutcome>> {
  const grant = requireGrant(context.grants, 'repository_mutation')
  if (!grant.ok) return grant
  if (edits.length > maxEdits) return refuse('edit_too_many', { limit: maxEdits, count: edits.length })
  const plan = await planEdits(context, edits)
  if (!plan.ok) return plan
  for (const { former } of plan.value) if (former) await context.versions.before(former)
  signal?.throwIfAborted()
  const change = await context.versions.begin(plan.value.map(toChange))
  // A fault takes everything back too, and a note that is left would take back what somebody does later.
  const files = plan.value.map(({ path, bytes, before }) => ({ path, bytes, replaces: before, tag: change.tag }))
  const applied = await changeFiles(context.workspace, grant.value, { files, record: async () => ok(null) }).finally(change.done)
  if (!applied.ok) return applied
  for (const file of plan.value) context.readLog.record(file.path, file.after)
  for (const { path, after, bytes } of plan.value) await context.versions.after({ path, digest: after, bytes })
  return ok({ files: plan.value.map(({ path, before, after, mode, diff }) => ({ path, before, after, mode, diff })) })
}

function toChange({ path, before, after, mode }: EditedFile): FileChange {
  return { path, was: before, becomes: after, mode }
}
