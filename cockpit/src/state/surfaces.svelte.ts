/** Blocks as the server serves them: what the cockpit draws without a view of its own. */
import type { ServedBlock, ServedOperation } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import { type Attempt, callOnce, createAttempt } from './attempt.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class SurfacesState {
  blocks = $state.raw<readonly ServedBlock[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  /** Blocks that want a place in the navigation and have no view. */
  readonly generic = $derived(this.blocks.filter((block) => block.surface === 'generic'))
  readonly #ports: StatePorts
  /** One an operation. */
  readonly #attempts = new Map<string, Attempt>()

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
  readonly call = (operation: ServedOperation, input: Readonly<Record<string, unknown>>): Promise<Result<unknown>> => {
    const { callServed } = this.#ports.client
    if (operation.idempotency === 'none') return callServed(operation, input, {})
    const attempt = this.#attempts.get(operation.path) ?? createAttempt(this.#ports.newKey)
    this.#attempts.set(operation.path, attempt)
    return callOnce(attempt, input, (options) => callServed(operation, input, options))
  }
}
