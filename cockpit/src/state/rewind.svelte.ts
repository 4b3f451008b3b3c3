/** Going back in the chat on screen: what it would do, what was decided about conflicts, and doing it. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { FileDiff, FilePlan, RewindMode } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'

export interface RewindComparison {
  readonly run: FileDiff | null
  readonly since: FileDiff | null
  readonly back: FileDiff | null
}

/** One plan, from the moment it is asked for until the dialog closes. */
export class RewindPlanState {
  loading = $state(true)
  busy = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  turns = $state(0)
  files = $state.raw<readonly FilePlan[]>([])
  unwatched = $state.raw<readonly string[]>([])
  /** Paths of conflicts that are to be put back all the same. */
  decided = $state.raw<ReadonlySet<string>>(new Set())
  readonly changing = $derived(this.files.filter((file) => this.willChange(file)).length)

  readonly #ports: StatePorts
  readonly #place: { readonly chatId: string; readonly target: string }

  constructor(ports: StatePorts, place: { readonly chatId: string; readonly target: string }) {
    this.#ports = ports
    this.#place = place
  }

  willChange({ plan, path }: FilePlan): boolean {
    return plan === 'restore' || plan === 'remove' || this.decided.has(path)
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.chat.previewRewind(this.#place)
    this.loading = false
    this.refusal = reply.ok ? null : reply.refusal
    if (!reply.ok) return
    this.turns = reply.value.turns
    this.files = reply.value.files
    this.unwatched = reply.value.unwatched
  }

  decide(path: string): void {
    const decided = new Set(this.decided)
    if (!decided.delete(path)) decided.add(path)
    this.decided = decided
  }

  compare(path: string): Promise<Result<RewindComparison>> {
    return this.#ports.client.calls.chat.compareRewind({ ...this.#place, path })
  }

  /** True once it is done. A decision counts for what was seen; what changed meanwhile stays. */
  async apply(mode: RewindMode): Promise<boolean> {
    this.busy = true
    const decided = this.files.filter(({ path }) => this.decided.has(path)).map(({ path, now }) => ({ path, seen: now }))
    const input = { ...this.#place, mode, decided }
    const reply = await this.#ports.client.calls.chat.rewind(input, { idempotencyKey: this.#ports.newKey() })
    this.busy = false
    this.refusal = reply.ok ? null : reply.refusal
    return reply.ok
  }
}
