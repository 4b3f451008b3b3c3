/** The list of chats, newest first, page by page. */
import type { Chat } from '@bridlewise/shared'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class ChatsState {
  list = $state.raw<readonly Chat[]>([])
  next = $state<string | null>(null)
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  find(chatId: string | null): Chat | null {
    return this.list.find((chat) => chat.id === chatId) ?? null
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.chat.list({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.chats
    this.next = reply.value.next ?? null
    this.loaded = true
  }

  forget(): void {
    this.list = []
    this.next = null
    this.loaded = false
  }

  async loadMore(): Promise<void> {
    if (this.next === null) return
    const reply = await this.#ports.client.calls.chat.list({ after: this.next })
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    const known = new Set(this.list.map((chat) => chat.id))
    this.list = [...this.list, ...reply.value.chats.filter((chat) => !known.has(chat.id))]
    this.next = reply.value.next ?? null
  }

  async rename(chatId: string, title: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.chat.rename({ chatId, title })
    if (!reply.ok) return reply.refusal
    this.take(reply.value.chat)
    return null
  }

  /** As a text to hand on. */
  write(chatId: string) {
    return this.#ports.client.calls.chat.export({ chatId })
  }

  async remove(chatId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.chat.remove({ chatId })
    if (!reply.ok) return reply.refusal
    this.list = this.list.filter((chat) => chat.id !== chatId)
    return null
  }

  /** Put a chat where its time says, replacing what was known of it. */
  take(chat: Chat): void {
    const others = this.list.filter((known) => known.id !== chat.id)
    this.list = [chat, ...others].sort((a, b) => b.updatedAt - a.updatedAt)
  }
}
