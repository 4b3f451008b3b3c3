/** Contents of the files that a run changes, kept for its chat as far as one run may. */
import type { Clock, Ids, VersionsPort } from '@bridlewise/engine'
import { type Store, tagOf } from '../storage/index.ts'
import type { RunBeatScope } from './ticket.ts'

/** New bytes that one run may keep. What is over it changes all the same, and a rewind says that it cannot bring it back. */
export const versionsOfRun = 128 * 1024 * 1024

interface KeepingParts {
  readonly store: Pick<Store, 'versions' | 'changes'>
  readonly clock: Clock
  readonly ids: Ids
}

export function keepVersions(
  { store, clock, ids }: KeepingParts,
  scope: RunBeatScope & { readonly projectId: string | null },
): VersionsPort {
  const { chatId, runId, userId, projectId } = scope
  /** Of what this run kept as new and did not drop. */
  const sizes = new Map<string, number>()
  let kept = 0
  return {
    async keep({ digest, bytes }) {
      if (store.versions.has(scope, chatId, digest)) return 'known'
      if (kept + bytes.byteLength > versionsOfRun) return 'not_kept'
      const put = store.versions.put(scope, { chatId, digest, bytes, createdAt: clock.now() })
      kept += bytes.byteLength
      sizes.set(digest, bytes.byteLength)
      return put
    },
    async drop(digest) {
      const size = sizes.get(digest)
      if (size === undefined) return
      store.versions.drop(scope, chatId, digest)
      sizes.delete(digest)
      kept -= size
    },
    async begin(files) {
      if (projectId === null) throw new Error('a run without a project changes no file')
      const id = ids.next('change')
      store.changes.open({ id, userId, chatId, runId, journal: { projectId, files } })
      return { tag: tagOf(id), done: async () => store.changes.close(scope, id) }
    },
  }
}
