/** What the chat at hand came to, and how near its ceilings are. */
import type { ChatSpend } from '@bridlewise/shared'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class ChatSpendState {
  /** Null while it is read. */
  value = $state.raw<ChatSpend | null>(null)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts
  #chatId: string | null = null
  #asked = 0

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  forget(): void {
    this.#chatId = null
    this.value = null
    this.refusal = null
  }

  /** Read it for a chat, or again. Contract: what is shown is what was asked for last. */
  async open(chatId: string | null): Promise<void> {
    if (chatId !== this.#chatId) this.forget()
    this.#chatId = chatId
    this.#asked += 1
    const asked = this.#asked
    if (chatId === null) return
    const reply = await this.#ports.client.calls.budget.chat({ chatId })
    if (asked !== this.#asked || chatId !== this.#chatId) return
    this.refusal = refusalOf(reply)
    if (reply.ok) this.value = reply.value.spend
  }
}
