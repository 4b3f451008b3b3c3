/** What must never be sent: the rules of the person, and what a rule would keep before it is one. */
import type { KeptRule } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { EgressRule } from '@bridlewise/shared/wire'
import type { BlocksClient } from '../client/index.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export type RuleTrial = Extract<Awaited<ReturnType<BlocksClient['egress']['tryRule']>>, { ok: true }>['value']

export class EgressRulesState {
  list = $state.raw<readonly KeptRule[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.egress.rules({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.rules
    this.loaded = true
  }

  /** `projectId` null keeps it in every project. */
  async add(rule: EgressRule, projectId: string | null): Promise<Refusal | null> {
    const input = { rule, ...(projectId === null ? {} : { projectId }) }
    const reply = await this.#ports.client.calls.egress.addRule(input, { idempotencyKey: this.#ports.newKey() })
    if (!reply.ok) return reply.refusal
    this.list = [...this.list, reply.value.rule]
    return null
  }

  async remove(ruleId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.egress.removeRule({ ruleId })
    if (!reply.ok) return reply.refusal
    this.list = this.list.filter(({ id }) => id !== ruleId)
    return null
  }

  /** `text` empty tries files alone. */
  tryOut(
    rule: EgressRule,
    { projectId, text }: { readonly projectId: string; readonly text: string },
  ): Promise<Result<RuleTrial>> {
    return this.#ports.client.calls.egress.tryRule({ projectId, rule, ...(text === '' ? {} : { text }) })
  }

  forget(): void {
    this.list = []
    this.loaded = false
  }
}
