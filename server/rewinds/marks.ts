/** What the conversation shows of a chat's rewinds, and which of its runs they take back. */
import { findRetraction, findRetractions } from '@bridlewise/engine'
import type { RewindMark } from '@bridlewise/shared/wire'
import type { Owner, RewindRecord, Store } from '../storage/index.ts'

export interface ChatMarks {
  readonly rewinds: RewindMark[]
  readonly retracted: { readonly runId: string; readonly by: string }[]
}

export function readMarks(
  store: Pick<Store, 'rewinds' | 'ledger'>,
  owner: Owner,
  { chatId, runIds }: { readonly chatId: string; readonly runIds: readonly string[] },
): ChatMarks {
  const records = store.rewinds.list(owner, chatId)
  if (records.length === 0) return { rewinds: [], retracted: [] }
  const retractions = findRetractions(records)
  const retracted = runIds.flatMap((runId) => {
    const seq = store.ledger.startOf(owner, runId)
    const retraction = seq === null ? null : findRetraction(retractions, seq)
    return retraction === null ? [] : [{ runId, by: retraction.by.id }]
  })
  const rewinds = records.map((record) => toMark(record, findRetraction(retractions, record.seq) === null))
  return { rewinds, retracted }
}

export function toMark({ id, mode, at, retracts, restored, removed, kept }: RewindRecord, counts: boolean): RewindMark {
  return { id, mode, at, retracts, counts, restored, removed, kept }
}
