/** The frames of runs, for replay. */
import type { Frame } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface RunScope extends Owner {
  readonly runId: string
}

export interface Frames {
  /**
   * Contract: when it resolves the frames are durable. Frames and beats handed over in one tick of
   * the event loop share one commit. Numbers come from the feed; a number twice is a fault.
   */
  append(scope: RunScope, frames: readonly Frame[]): Promise<void>
  /** The same inside `store.transaction`, or as a commit of its own. */
  write(scope: RunScope, frames: readonly Frame[]): void
  /** Frames after number `after`, in order. Empty for a run that is not the owner's, and for one whose stream retention removed. */
  read(owner: Owner, runId: string, range: { readonly after: number; readonly limit: number }): readonly Frame[]
  /** 0 when there is none. */
  lastNumber(owner: Owner, runId: string): number
}

export const frameData: SealedColumn = {
  table: 'frames',
  column: 'data',
  row: 'number',
  parent: 'runId',
  owner: '(SELECT userId FROM runs WHERE id = runId)',
}

export function createFrames({ database, seal }: StoreContext): Frames {
  const insert = database.prepare<[string, number, string, Buffer]>(
    'INSERT INTO frames (runId, number, kind, data) VALUES (?, ?, ?, ?)',
  )
  const after = database.prepare<[string, number, string, number], { number: number; data: Buffer }>(
    `SELECT number, data FROM frames WHERE runId = ? AND number > ?
     AND EXISTS (SELECT 1 FROM runs WHERE id = runId AND userId = ? AND framesRemovedAt IS NULL) ORDER BY number LIMIT ?`,
  )
  const last = database.prepare<[string, string], { number: number | null }>(
    'SELECT max(number) AS number FROM frames WHERE runId = ? AND EXISTS (SELECT 1 FROM runs WHERE id = runId AND userId = ?)',
  )

  function insertAll(scope: RunScope, frames: readonly Frame[]): void {
    for (const frame of frames) {
      insert.run(scope.runId, frame.number, frame.kind, seal.seal(cellOf(scope, frame.number), JSON.stringify(frame)))
    }
  }

  return {
    append: (scope, frames) => database.enqueue(() => insertAll(scope, frames)),
    write: (scope, frames) => database.transaction(() => insertAll(scope, frames)),
    read: (owner, runId, range) =>
      after
        .all(runId, range.after, owner.userId, range.limit)
        .map(({ number, data }) => JSON.parse(seal.open(cellOf({ userId: owner.userId, runId }, number), data)) as Frame),
    lastNumber: (owner, runId) => last.get(runId, owner.userId)?.number ?? 0,
  }
}

function cellOf(scope: RunScope, number: number): Cell {
  return cellIn(frameData, { row: String(number), parent: scope.runId, owner: scope.userId })
}
