/** At boot: a change of files that a crash interrupted is taken back, or what it left behind is cleaned up. */
import { readLimit, requireGrant, restoreFiles } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { UnfinishedRewind } from '../storage/index.ts'
import type { RewindParts } from './parts.ts'
import { openPlace } from './stretch.ts'
import { tagOf } from './tag.ts'

/**
 * Finish every rewind that a dead process left.
 *
 * Contract: one that stands in the ledger has changed its files; one that does not is taken back, file by
 * file where the file still holds what it had written there. Its hidden files are removed. What cannot be
 * done now, because the project is not there, stays for the next start. Gives how many were finished.
 */
export async function recoverRewinds(parts: RewindParts): Promise<number> {
  let finished = 0
  for (const rewind of parts.store.rewinds.listUnfinished()) {
    try {
      const done = await finish(parts, rewind)
      if (!done.ok) continue
      parts.store.rewinds.close(rewind.id)
      finished += 1
    } catch (fault) {
      parts.reportFault(fault)
    }
  }
  return finished
}

async function finish(parts: RewindParts, rewind: UnfinishedRewind): Promise<Result<null>> {
  const { id, journal, recorded } = rewind
  const grants = parts.grants()
  if (!grants.ok) return grants
  const grant = requireGrant(grants.value, 'repository_mutation')
  if (!grant.ok) return grant
  const place = await openPlace(parts, rewind, journal.projectId)
  if (!place.ok) return place
  const { workspace } = place.value
  for (const { path } of journal.files) {
    const cleared = await workspace.clearStaged(grant.value, { tag: tagOf(id), path })
    if (!cleared.ok && cleared.refusal.code !== 'path_missing') return cleared
  }
  if (recorded) return ok(null)
  const files = []
  for (const { path, was, becomes, mode } of journal.files) {
    const read = await workspace.read(path, readLimit)
    if (!read.ok && read.refusal.code !== 'path_missing') continue
    const now = read.ok ? read.value.digest : null
    if (now !== becomes || now === was) continue
    const bytes = was === null ? null : parts.store.versions.get(rewind, rewind.chatId, was)
    if (was !== null && bytes === null) continue
    files.push({ path, bytes, replaces: becomes, mode: mode ?? undefined, tag: tagOf(id) })
  }
  return restoreFiles({ workspace, grants: grants.value }, { files, record: async () => ok(null) })
}
