/** What was said, as the chat shows it. The ledger holds the same words as beats; neither is derived at read time. */
import type { Message } from '@bridlewise/shared'
import type { StoreContext } from '../context.ts'
import type { Owner, Page, PageRequest } from '../pages.ts'
import type { messages } from '../schema/work.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface Messages {
  add(owner: Owner, message: Message): void
  /** The newest page first; inside a page the oldest first. `next` leads to older ones. */
  list(owner: Owner, chatId: string, page: PageRequest): Page<Message>
}

export const messageText: SealedColumn = { table: 'messages', column: 'text', row: 'id', parent: 'chatId', owner: 'userId' }

type Row = typeof messages.$inferSelect

export function createMessages({ database, seal }: StoreContext): Messages {
  const insert = database.prepare<[string, string, string, string, string, Buffer, number]>(
    'INSERT INTO messages (id, userId, chatId, runId, role, text, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const before = database.prepare<[string, string, number, number], Row>(
    'SELECT * FROM messages WHERE chatId = ? AND userId = ? AND number < ? ORDER BY number DESC LIMIT ?',
  )

  return {
    add(owner, message) {
      const text = seal.seal(cellOf(owner.userId, message), message.text)
      insert.run(message.id, owner.userId, message.chatId, message.runId, message.role, text, message.createdAt)
    },
    list(owner, chatId, { after, limit }) {
      const mark = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
      const rows = before.all(chatId, owner.userId, mark, limit + 1)
      const shown = rows.slice(0, limit)
      const next = rows.length > limit ? String(shown.at(-1)?.number) : undefined
      return { items: shown.reverse().map((row) => toMessage(row, seal.open(cellOf(row.userId, row), row.text))), next }
    },
  }
}

function toMessage({ id, chatId, runId, role, createdAt }: Row, text: string): Message {
  return { id, chatId, runId, role, text, createdAt }
}

function cellOf(userId: string, message: { readonly id: string; readonly chatId: string }): Cell {
  return cellIn(messageText, { row: message.id, parent: message.chatId, owner: userId })
}
