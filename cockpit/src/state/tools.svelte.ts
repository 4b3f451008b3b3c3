/** The tools that a model can ask for. */
import type { ToolEntry } from '@bridlewise/shared'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class ToolsState {
  list = $state.raw<readonly ToolEntry[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.tool.list({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.tools
    this.loaded = true
  }
}
