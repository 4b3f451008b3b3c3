/** Large results, kept whole while the conversation holds a part. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import { refuseRemoved } from './retention.ts'

export interface BlobDraft {
  readonly id: string
  readonly runId: string
  readonly text: string
  readonly createdAt: number
}

export interface Blobs {
  /** `bytes` counts UTF-8. */
  put(owner: Owner, draft: BlobDraft): { readonly ref: string; readonly bytes: number }
  /** Refuses: thing_unknown, and content_removed for what retention removed. */
  get(owner: Owner, ref: string): Result<string>
}

export const blobContent: SealedColumn = { table: 'blobs', column: 'content', row: 'id', parent: 'runId', owner: 'userId' }

export function createBlobs({ database, seal }: StoreContext): Blobs {
  const insert = database.prepare<[string, string, string, number, Buffer, number]>(
    'INSERT INTO blobs (id, userId, runId, bytes, content, createdAt) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const byId = database.prepare<[string, string], { runId: string; content: Buffer }>(
    'SELECT runId, content FROM blobs WHERE id = ? AND userId = ? AND EXISTS (SELECT 1 FROM runs WHERE runs.id = runId)',
  )
  const removed = database.prepare<[string, string], { at: number }>(
    'SELECT at FROM removed_results WHERE ref = ? AND userId = ?',
  )

  return {
    put(owner, { id, runId, text, createdAt }) {
      const bytes = Buffer.byteLength(text)
      insert.run(id, owner.userId, runId, bytes, seal.seal(cellOf(owner, id, runId), text), createdAt)
      return { ref: id, bytes }
    },
    get(owner, ref) {
      const gone = removed.get(ref, owner.userId)
      if (gone !== undefined) return refuseRemoved('whole result', gone.at)
      const row = byId.get(ref, owner.userId)
      if (row === undefined) return refuse('thing_unknown', { kind: 'result' })
      return ok(seal.open(cellOf(owner, ref, row.runId), row.content))
    },
  }
}

function cellOf(owner: Owner, row: string, parent: string): Cell {
  return cellIn(blobContent, { row, parent, owner: owner.userId })
}
