/** Changes of files by runs that are under way: noted before the first file changes, forgotten when all are as they shall be. */
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import type { FileJournal } from './file-journal.ts'

export interface BegunFileChange {
  readonly id: string
  readonly userId: string
  readonly chatId: string
  readonly runId: string
  readonly journal: FileJournal
}

export interface Changes {
  /** Durable when it returns. */
  open(change: BegunFileChange): void
  close(owner: Owner, id: string): void
  /** Of everybody: what the processes before this one did not finish. */
  listUnfinished(): readonly BegunFileChange[]
}

export const changeJournal: SealedColumn = {
  table: 'changes',
  column: 'journal',
  row: 'id',
  parent: 'chatId',
  owner: 'userId',
}

interface Row extends Omit<BegunFileChange, 'journal'> {
  readonly journal: Buffer
}

export function createChanges({ database, seal }: StoreContext): Changes {
  const insert = database.prepare<[string, string, string, string, Buffer]>(
    'INSERT INTO changes (id, userId, chatId, runId, journal) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = database.prepare<[string, string]>('DELETE FROM changes WHERE id = ? AND userId = ?')
  const all = database.prepare<[], Row>('SELECT id, userId, chatId, runId, journal FROM changes ORDER BY id')

  return {
    open({ id, userId, chatId, runId, journal }) {
      insert.run(id, userId, chatId, runId, seal.seal(cellOf({ id, userId, chatId }), JSON.stringify(journal)))
    },
    close: ({ userId }, id) => void remove.run(id, userId),
    listUnfinished: () =>
      all.all().map(({ journal, ...row }) => ({ ...row, journal: JSON.parse(seal.open(cellOf(row), journal)) as FileJournal })),
  }
}

function cellOf({ id, chatId, userId }: Pick<BegunFileChange, 'id' | 'chatId' | 'userId'>): Cell {
  return cellIn(changeJournal, { row: id, parent: chatId, owner: userId })
}
