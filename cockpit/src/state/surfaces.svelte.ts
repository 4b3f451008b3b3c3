/** Blocks as the server serves them: what the cockpit draws without a view of its own. */
import type { ServedBlock, ServedOperation } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class SurfacesState {
  blocks = $state.raw<readonly ServedBlock[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  /** Blocks that want a place in the navigation and have no view. */
  readonly generic = $derived(this.blocks.filter((block) => block.surface === 'generic'))
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  find(blockId: string): ServedBlock | null {
    return this.blocks.find((block) => block.id === blockId) ?? null
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.ui.schema({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.blocks = reply.value.blocks
    this.loaded = true
  }

  /** Call an operation by its served description; a repeatable one gets a key. */
  readonly call = (operation: ServedOperation, input: Readonly<Record<string, unknown>>): Promise<Result<unknown>> =>
    this.#ports.client.callServed(
      operation,
      input,
      operation.idempotency === 'key' ? { idempotencyKey: this.#ports.newKey() } : {},
    )
}
