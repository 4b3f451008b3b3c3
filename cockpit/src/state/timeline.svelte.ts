/** The whole ledger, page by page, and whether its chain holds. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { Beat } from '@bridlewise/shared/wire'
import type { BlocksClient } from '../client/index.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

type VerifyReply = Awaited<ReturnType<BlocksClient['timeline']['verify']>>

/** What a check found, when, and the noted receipt that it was made against. */
export type Verification = Extract<VerifyReply, { ok: true }>['value'] & { readonly at: number; readonly against: string | null }

export class TimelineState {
  beats = $state.raw<readonly Beat[]>([])
  next = $state<string | null>(null)
  loaded = $state(false)
  loading = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  verification = $state.raw<Verification | null>(null)
  verifying = $state(false)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  /** Read from the first entry. */
  async load(): Promise<void> {
    this.next = null
    await this.#read([])
  }

  async loadMore(): Promise<void> {
    if (this.next !== null && !this.loading) await this.#read(this.beats)
  }

  forget(): void {
    this.beats = []
    this.next = null
    this.loaded = false
    this.verification = null
  }

  /** `receipt` is one that was noted at an earlier check; empty when there is none. */
  async verify(receipt = ''): Promise<void> {
    const noted = receipt.trim()
    this.verifying = true
    const reply = await this.#ports.client.calls.timeline.verify(noted === '' ? {} : { head: noted })
    this.verifying = false
    this.refusal = refusalOf(reply)
    if (reply.ok) this.verification = { ...reply.value, at: this.#ports.now(), against: noted === '' ? null : noted }
  }

  async #read(before: readonly Beat[]): Promise<void> {
    this.loading = true
    const reply = await this.#ports.client.calls.timeline.list({ limit: 200, ...(this.next ? { after: this.next } : {}) })
    this.loading = false
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.beats = [...before, ...reply.value.beats]
    this.next = reply.value.next ?? null
    this.loaded = true
  }
}
