/** Conversations. `turns` and `activeRunId` are counted from the runs, never kept beside them. */
import type { Chat } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Erasure } from '../erasure.ts'
import type { Owner, Page, PageRequest } from '../pages.ts'
import type { chats } from '../schema/work.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface ChatDraft {
  readonly id: string
  readonly title: string
  /** The first words of what was asked, unless it is said otherwise. */
  readonly titleFrom?: 'words' | 'given'
  readonly projectId: string | null
  readonly createdAt: number
}

export interface Chats {
  create(owner: Owner, draft: ChatDraft): Chat
  get(owner: Owner, chatId: string): Chat | null
  /** Newest use first. */
  list(owner: Owner, page: PageRequest): Page<Chat>
  /** Refuses: thing_unknown. */
  rename(owner: Owner, chatId: string, title: string): Result<Chat>
  /**
   * Take a title that a model thought up.
   *
   * Contract: it only ever stands in place of first words, however late it comes; false when it does not.
   */
  suggestTitle(owner: Owner, chatId: string, title: string): boolean
  /** Puts the chat on top of the list. */
  touch(owner: Owner, chatId: string, at: number): void
  /**
   * Contract: at once nothing leads to it any more; messages, frames, results and the payloads of its
   * beats are erased in this commit as far as they are few, else in the steps that follow it. The
   * chain keeps their entries and still verifies.
   * Refuses: thing_unknown, chat_busy.
   */
  remove(owner: Owner, chatId: string): Result<'removed'>
}

export const chatTitle: SealedColumn = { table: 'chats', column: 'title', row: 'id', owner: 'userId' }

type Row = typeof chats.$inferSelect & { readonly turns: number; readonly activeRunId: string | null }

const columns = `chats.*,
  (SELECT count(*) FROM runs WHERE runs.chatId = chats.id) AS turns,
  (SELECT id FROM runs WHERE runs.chatId = chats.id AND status IN ('queued', 'running') LIMIT 1) AS activeRunId`

export function createChats({ database, seal }: StoreContext, erasure: Erasure): Chats {
  const insert = database.prepare<[string, string, string | null, Buffer, string, number, number]>(
    'INSERT INTO chats (id, userId, projectId, title, titleFrom, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const byId = database.prepare<[string, string], Row>(`SELECT ${columns} FROM chats WHERE id = ? AND userId = ?`)
  const before = database.prepare<[string, number, string, number], Row>(
    `SELECT ${columns} FROM chats WHERE userId = ? AND (updatedAt, id) < (?, ?) ORDER BY updatedAt DESC, id DESC LIMIT ?`,
  )
  const rename = database.prepare<[Buffer, string, string]>(
    "UPDATE chats SET title = ?, titleFrom = 'given' WHERE id = ? AND userId = ?",
  )
  const suggest = database.prepare<[Buffer, string, string]>(
    "UPDATE chats SET title = ?, titleFrom = 'model' WHERE id = ? AND userId = ? AND titleFrom = 'words'",
  )
  const touch = database.prepare<[number, string, string]>('UPDATE chats SET updatedAt = ? WHERE id = ? AND userId = ?')
  const remove = database.prepare<[string, string]>('DELETE FROM chats WHERE id = ? AND userId = ?')

  function toChat({ id, userId, projectId, title, titleFrom, turns, activeRunId, createdAt, updatedAt }: Row): Chat {
    return { id, title: seal.open(cellOf({ userId }, id), title), titleFrom, projectId, activeRunId, turns, createdAt, updatedAt }
  }

  function find(owner: Owner, chatId: string): Chat | null {
    const row = byId.get(chatId, owner.userId)
    return row === undefined ? null : toChat(row)
  }

  return {
    create(owner, { id, title, titleFrom = 'words', projectId, createdAt }) {
      insert.run(id, owner.userId, projectId, seal.seal(cellOf(owner, id), title), titleFrom, createdAt, createdAt)
      return { id, title, titleFrom, projectId, activeRunId: null, turns: 0, createdAt, updatedAt: createdAt }
    },
    get: find,
    list(owner, { after, limit }) {
      const mark = readMark(after)
      const rows = before.all(owner.userId, mark.updatedAt, mark.id, limit + 1)
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const next = rows.length > limit && last !== undefined ? `${last.updatedAt}.${last.id}` : undefined
      return { items: shown.map(toChat), next }
    },
    rename: (owner, chatId, title) =>
      database.transaction(() => {
        const chat = find(owner, chatId)
        if (chat === null) return refuse('thing_unknown', { kind: 'chat' })
        rename.run(seal.seal(cellOf(owner, chatId), title), chatId, owner.userId)
        return ok({ ...chat, title, titleFrom: 'given' })
      }),
    suggestTitle: (owner, chatId, title) => suggest.run(seal.seal(cellOf(owner, chatId), title), chatId, owner.userId) > 0,
    touch: (owner, chatId, at) => void touch.run(at, chatId, owner.userId),
    remove: (owner, chatId) =>
      database.transaction(() => {
        const chat = find(owner, chatId)
        if (chat === null) return refuse('thing_unknown', { kind: 'chat' })
        if (chat.activeRunId !== null) return refuse('chat_busy')
        // Runs and claims go with it; a trigger notes what else is to be erased.
        remove.run(chatId, owner.userId)
        erasure.begin()
        return ok('removed')
      }),
  }
}

function readMark(after: string | undefined): { readonly updatedAt: number; readonly id: string } {
  if (after === undefined) return { updatedAt: Number.MAX_SAFE_INTEGER, id: '' }
  const [updatedAt = '', id = ''] = after.split('.')
  return { updatedAt: Number(updatedAt), id }
}

function cellOf(owner: Owner, chatId: string): Cell {
  return cellIn(chatTitle, { row: chatId, owner: owner.userId })
}
