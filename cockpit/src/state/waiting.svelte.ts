/** What was said to the chat on screen and no run has yet: words that steer the active run, and runs that wait behind it. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { ModelChoice, Run, RunMode, WaitingMessage } from '@bridlewise/shared/wire'
import { type Attempt, callOnce, createAttempt } from './attempt.ts'
import type { StatePorts } from './ports.ts'

export type Delivery = WaitingMessage['delivery']

/** Words for a chat whose run is active. */
export interface Saying {
  readonly runId: string
  readonly text: string
  readonly delivery: Delivery
  readonly mode: RunMode
  readonly model: ModelChoice | null
}

export class WaitingState {
  /** In the order in which they were written. */
  messages = $state.raw<readonly WaitingMessage[]>([])
  readonly #ports: StatePorts
  readonly #saying: Attempt
  readonly #starting: Attempt
  #chatId: string | null = null

  constructor(ports: StatePorts) {
    this.#ports = ports
    this.#saying = createAttempt(ports.newKey)
    this.#starting = createAttempt(ports.newKey)
  }

  /** Whether one of them becomes the next run without anybody's doing. */
  get goesOn(): boolean {
    return this.messages.some(({ held }) => held === null)
  }

  async load(chatId: string): Promise<void> {
    this.#chatId = chatId
    const reply = await this.#ports.client.calls.run.listWaiting({ chatId })
    if (reply.ok && this.#chatId === chatId) this.messages = reply.value.messages
  }

  forget(): void {
    this.#chatId = null
    this.messages = []
  }

  async say({ runId, text, delivery, mode, model }: Saying): Promise<Refusal | null> {
    const { run } = this.#ports.client.calls
    const input = { runId, prompt: text, mode, ...(model ? { model } : {}) }
    const reply = await callOnce(this.#saying, { ...input, delivery }, (options) =>
      delivery === 'steer' ? run.steer({ runId, text }, options) : run.queue(input, options),
    )
    if (!reply.ok) return reply.refusal
    const { message } = reply.value
    if (message.chatId === this.#chatId) this.messages = [...this.messages.filter(({ id }) => id !== message.id), message]
    return null
  }

  async edit(messageId: string, text: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.run.editWaiting({ messageId, text })
    if (!reply.ok) return reply.refusal
    this.messages = this.messages.map((known) => (known.id === messageId ? reply.value.message : known))
    return null
  }

  async remove(messageId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.run.removeWaiting({ messageId })
    if (!reply.ok) return reply.refusal
    this.takenIn(messageId)
    return null
  }

  async start(messageId: string): Promise<Result<Run>> {
    const reply = await callOnce(this.#starting, { messageId }, (options) =>
      this.#ports.client.calls.run.startWaiting({ messageId }, options),
    )
    if (!reply.ok) return reply
    this.takenIn(messageId)
    return { ok: true, value: reply.value.run }
  }

  /** A run has these words now. */
  takenIn(messageId: string): void {
    this.messages = this.messages.filter(({ id }) => id !== messageId)
  }
}
