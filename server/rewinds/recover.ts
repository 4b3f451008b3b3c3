/** At boot: a change of files that a crash interrupted is taken back, or what it left behind is cleaned up. */
import { readLimit, requireGrant, restoreFiles } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { type BegunFileChange, type FileJournal, type Owner, tagOf, type UnfinishedRewind } from '../storage/index.ts'
import type { RewindParts } from './parts.ts'
import { openPlace } from './stretch.ts'

/**
 * Finish every change of files that a dead process left: rewinds, and edits of runs.
 *
 * Contract: a rewind that stands in the ledger has changed its files; another one, and an edit, is taken
 * back, file by file where the file still holds what it had written there. Hidden files are removed where
 * nothing can need them any more. What an edit came to is said in the ledger. What cannot be done now,
 * because the project is not there, stays for the next start. Gives how many were finished.
 */
export async function recoverChanges(parts: RewindParts): Promise<number> {
  let finished = 0
  for (const rewind of parts.store.rewinds.listUnfinished()) {
    if (await isFinished(parts, () => finishRewind(parts, rewind))) finished += 1
  }
  for (const change of parts.store.changes.listUnfinished()) {
    if (await isFinished(parts, () => finishEdit(parts, change))) finished += 1
  }
  return finished
}

async function isFinished(parts: RewindParts, finish: () => Promise<Result<unknown>>): Promise<boolean> {
  try {
    return (await finish()).ok
  } catch (fault) {
    parts.reportFault(fault)
    return false
  }
}

async function finishRewind(parts: RewindParts, rewind: UnfinishedRewind): Promise<Result<unknown>> {
  const taken = await takeBack(parts, rewind, rewind.recorded ? 'cleanUp' : 'takeBack')
  if (taken.ok) parts.store.rewinds.close(rewind.id)
  return taken
}

/** Its call has no result, so that an edit that had changed every file is taken back like one that had changed the first. */
async function finishEdit(parts: RewindParts, change: BegunFileChange): Promise<Result<unknown>> {
  const taken = await takeBack(parts, change, 'takeBack')
  if (!taken.ok) return taken
  const { store } = parts
  const { back, left } = taken.value
  store.transaction(() => {
    if (back.length + left.length > 0)
      store.ledger.write(change, { kind: 'finding', source: 'server', payload: tell(back, left) })
    store.changes.close(change, change.id)
  })
  return ok(null)
}

function tell(back: readonly string[], left: readonly string[]) {
  const said = [
    back.length > 0 ? `Put back as before: ${back.join(', ')}.` : '',
    left.length > 0
      ? `Left as they are, because their former contents were not kept or they were changed since: ${left.join(', ')}.`
      : '',
  ]
  return {
    severity: left.length > 0 ? ('warning' as const) : ('info' as const),
    title: 'An edit was cut off when the server ended',
    text: said.filter((each) => each !== '').join(' '),
    evidence: [],
  }
}

interface Cut extends Owner {
  readonly id: string
  readonly chatId: string
  readonly journal: FileJournal
}

interface TakenBack {
  /** Paths that hold again what they held before. */
  readonly back: readonly string[]
  /** Paths that hold something else, and keep it. */
  readonly left: readonly string[]
}

async function takeBack(parts: RewindParts, cut: Cut, what: 'takeBack' | 'cleanUp'): Promise<Result<TakenBack>> {
  const grants = parts.grants()
  if (!grants.ok) return grants
  const grant = requireGrant(grants.value, 'repository_mutation')
  if (!grant.ok) return grant
  const place = await openPlace(parts, cut, cut.journal.projectId)
  if (!place.ok) return place
  const { workspace } = place.value
  const files = []
  const left: string[] = []
  for (const { path, was, becomes, mode } of cut.journal.files) {
    const read = await workspace.read(path, readLimit)
    const now = read.ok ? read.value.digest : null
    const isReadable = read.ok || read.refusal.code === 'path_missing'
    const isChanged = what === 'takeBack' && now !== was
    const bytes = was === null || !isChanged ? null : parts.store.versions.get(cut, cut.chatId, was)
    const isLost = isChanged && (!isReadable || now !== becomes || (was !== null && bytes === null))
    if (isLost) left.push(path)
    else if (isChanged) files.push({ path, bytes, replaces: becomes, mode: mode ?? undefined, tag: tagOf(cut.id) })
    // A file that cannot be put back may have its former content beside it.
    if (isLost) continue
    const cleared = await workspace.clearStaged(grant.value, { tag: tagOf(cut.id), path })
    if (!cleared.ok && cleared.refusal.code !== 'path_missing') return cleared
  }
  const restored = await restoreFiles({ workspace, grants: grants.value }, { files, record: async () => ok(null) })
  return restored.ok ? ok({ back: files.map(({ path }) => path), left }) : restored
}
