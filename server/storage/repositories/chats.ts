/** Conversations. `turns` and `activeRunId` are counted from the runs, never kept beside them. */
import type { Chat } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Owner, Page, PageRequest } from '../pages.ts'

export interface ChatDraft {
  readonly id: string
  readonly title: string
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
  /** Puts the chat on top of the list. */
  touch(owner: Owner, chatId: string, at: number): void
  /**
   * Contract: messages, runs, frames and blobs are deleted and the payloads of its beats erased; the
   * chain keeps their entries and still verifies.
   * Refuses: thing_unknown, chat_busy.
   */
  remove(owner: Owner, chatId: string, at: number): Result<'removed'>
}
