/** Rewinds of chats: what the screen folds, and the journal of one whose files are being put back. */
import type { RewindMode } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import type { FileJournal } from './file-journal.ts'

export interface RewindRecord {
  readonly id: string
  readonly mode: RewindMode
  /** Its own place in the ledger, and the place that it went back to. */
  readonly seq: number
  readonly to: number
  readonly retracts: boolean
  readonly restored: number
  readonly removed: number
  readonly kept: number
  readonly at: number
}

export interface UnfinishedRewind {
  readonly id: string
  readonly userId: string
  readonly chatId: string
  /** Whether it stands in the ledger: then its files are changed, and what is left is to clean up. */
  readonly recorded: boolean
  readonly journal: FileJournal
}

export interface Rewinds {
  /** Before the first file is changed. */
  open(
    owner: Owner,
    begun: { readonly id: string; readonly chatId: string; readonly journal: FileJournal; readonly at: number },
  ): void
  /** With its entry in the ledger, in one commit. One without files was not opened before. */
  record(owner: Owner, chatId: string, record: RewindRecord): void
  /** Forget the journal: nothing is left to do, or it was taken back and is as if it had never been. */
  close(id: string): void
  /** Oldest first. */
  list(owner: Owner, chatId: string): readonly RewindRecord[]
  listUnfinished(): readonly UnfinishedRewind[]
}

export const rewindJournal: SealedColumn = {
  table: 'rewinds',
  column: 'journal',
  row: 'id',
  parent: 'chatId',
  owner: 'userId',
}

interface Row extends Omit<RewindRecord, 'retracts'> {
  readonly retracts: 0 | 1
}

export function createRewinds({ database, seal }: StoreContext): Rewinds {
  const open = database.prepare<[string, string, string, Buffer, number]>(
    'INSERT INTO rewinds (id, userId, chatId, journal, at) VALUES (?, ?, ?, ?, ?)',
  )
  const record = database.prepare<[string, string, string, string, number, number, number, number, number, number, number]>(
    `INSERT INTO rewinds (id, userId, chatId, mode, seq, "to", retracts, restored, removed, kept, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, seq = excluded.seq, "to" = excluded."to", retracts = excluded.retracts,
       restored = excluded.restored, removed = excluded.removed, kept = excluded.kept, at = excluded.at`,
  )
  const forgetJournal = database.prepare<[string]>('UPDATE rewinds SET journal = NULL WHERE id = ?')
  const removeUnrecorded = database.prepare<[string]>('DELETE FROM rewinds WHERE id = ? AND seq IS NULL')
  const ofChat = database.prepare<[string, string], Row>(
    `SELECT id, mode, seq, "to", retracts, restored, removed, kept, at FROM rewinds
     WHERE chatId = ? AND userId = ? AND seq IS NOT NULL ORDER BY seq`,
  )
  const unfinished = database.prepare<[], { id: string; userId: string; chatId: string; seq: number | null; journal: Buffer }>(
    'SELECT id, userId, chatId, seq, journal FROM rewinds WHERE journal IS NOT NULL ORDER BY id',
  )

  return {
    open(owner, { id, chatId, journal, at }) {
      open.run(id, owner.userId, chatId, seal.seal(cellOf(owner, id, chatId), JSON.stringify(journal)), at)
    },
    record(owner, chatId, { id, mode, seq, to, retracts, restored, removed, kept, at }) {
      record.run(id, owner.userId, chatId, mode, seq, to, retracts ? 1 : 0, restored, removed, kept, at)
    },
    close: (id) =>
      database.transaction(() => {
        removeUnrecorded.run(id)
        forgetJournal.run(id)
      }),
    list: (owner, chatId) => ofChat.all(chatId, owner.userId).map((row) => ({ ...row, retracts: row.retracts === 1 })),
    listUnfinished: () =>
      unfinished.all().map(({ id, userId, chatId, seq, journal }) => ({
        ...{ id, userId, chatId },
        recorded: seq !== null,
        journal: JSON.parse(seal.open(cellOf({ userId }, id, chatId), journal)) as FileJournal,
      })),
  }
}

function cellOf(owner: Owner, row: string, parent: string): Cell {
  return cellIn(rewindJournal, { row, parent, owner: owner.userId })
}
