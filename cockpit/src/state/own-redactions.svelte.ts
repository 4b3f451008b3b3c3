/** Words and patterns that the person has replaced in whatever leaves, and what one would replace before it is one. */
import type { OwnRedaction } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { BlocksClient } from '../client/index.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export type NewRedaction = Pick<OwnRedaction, 'name' | 'kind' | 'value'>
export type RedactionTrial = Extract<Awaited<ReturnType<BlocksClient['redaction']['try']>>, { ok: true }>['value']

export class OwnRedactionsState {
  list = $state.raw<readonly OwnRedaction[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.redaction.list({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.redactions
    this.loaded = true
  }

  async add(redaction: NewRedaction): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.redaction.create(redaction, { idempotencyKey: this.#ports.newKey() })
    if (!reply.ok) return reply.refusal
    this.list = [...this.list, reply.value.redaction]
    return null
  }

  async remove(redactionId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.redaction.remove({ redactionId })
    if (!reply.ok) return reply.refusal
    this.list = this.list.filter(({ id }) => id !== redactionId)
    return null
  }

  /** `rule` null tries those alone that are there. */
  tryOut(text: string, rule: Pick<OwnRedaction, 'kind' | 'value'> | null): Promise<Result<RedactionTrial>> {
    return this.#ports.client.calls.redaction.try({ text, ...(rule === null ? {} : { rule }) })
  }

  forget(): void {
    this.list = []
    this.loaded = false
  }
}
