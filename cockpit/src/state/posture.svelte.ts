/** What is enforced on this host, as last measured. */
import type { LimitLine, PostureLine } from '@bridlewise/shared'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export interface Posture {
  readonly confinement: 'full' | 'partly' | 'off'
  readonly lines: readonly PostureLine[]
  readonly notClaimed: readonly string[]
  readonly limits: readonly LimitLine[]
  readonly measuredAt: number
}

export class PostureState {
  value = $state.raw<Posture | null>(null)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.posture.get({})
    this.refusal = refusalOf(reply)
    if (reply.ok) this.value = reply.value
  }
}
