/** What a model reads of the chat at hand, and what a person changed about it. */
import type { ChatContext } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { ItemPlace } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class ChatContextState {
  /** Null while it is read. */
  value = $state.raw<ChatContext | null>(null)
  /** Why the last reading or change came to nothing. */
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts
  #chatId: string | null = null

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  forget(): void {
    this.#chatId = null
    this.value = null
    this.refusal = null
  }

  /** Read it for a chat, or again. Contract: what is shown is of the chat that was opened last. */
  async open(chatId: string | null): Promise<void> {
    if (chatId !== this.#chatId) this.forget()
    this.#chatId = chatId
    if (chatId !== null) await this.#take(this.#ports.client.calls.context.get({ chatId }))
  }

  /** Contract: true when the goal is what was wanted; `refusal` says why not. */
  pin(goal: string | null): Promise<boolean> {
    return this.#take(this.#ports.client.calls.context.pin({ chatId: this.#chatId ?? '', goal }))
  }

  /** Send the entries after this one word for word again; 0 for all of them. */
  move(upTo: number): Promise<boolean> {
    return this.#take(this.#ports.client.calls.context.move({ chatId: this.#chatId ?? '', upTo }))
  }

  /** Send a message again that was left out. */
  restore(place: ItemPlace): Promise<boolean> {
    const { seq, message } = place
    return this.#take(this.#ports.client.calls.context.restore({ chatId: this.#chatId ?? '', seq, message }))
  }

  async #take(asked: Promise<Result<{ readonly context: ChatContext }>>): Promise<boolean> {
    const chatId = this.#chatId
    const reply = await asked
    if (chatId !== this.#chatId) return false
    this.refusal = refusalOf(reply)
    if (reply.ok) this.value = reply.value.context
    return reply.ok
  }
}
