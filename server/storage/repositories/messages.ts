/** What was said, as the chat shows it. The ledger holds the same words as beats; neither is derived at read time. */
import type { Message } from '@bridlewise/shared'
import type { Owner, Page, PageRequest } from '../pages.ts'

export interface Messages {
  add(owner: Owner, message: Message): void
  /** The newest page first; inside a page the oldest first. `next` leads to older ones. */
  list(owner: Owner, chatId: string, page: PageRequest): Page<Message>
}
