/** Where requests wait until the person has looked at them, and those that do. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { EgressPart, HeldRequest, HoldAnswer } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export interface HeldPreview {
  readonly held: HeldRequest
  readonly parts: readonly EgressPart[]
  /** As it would leave, byte for byte. */
  readonly body: string
}

export class HoldsState {
  projects = $state.raw<ReadonlySet<string>>(new Set())
  chats = $state.raw<ReadonlySet<string>>(new Set())
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    this.#take(await this.#ports.client.calls.egress.holds({}))
  }

  async holdProject(projectId: string, held: boolean): Promise<void> {
    this.#take(await this.#ports.client.calls.egress.holdProject({ projectId, held }))
  }

  async holdChat(chatId: string, held: boolean): Promise<void> {
    this.#take(await this.#ports.client.calls.egress.holdChat({ chatId, held }))
  }

  async ofRun(runId: string): Promise<Result<readonly HeldRequest[]>> {
    const reply = await this.#ports.client.calls.egress.held({ runId })
    return reply.ok ? { ok: true, value: reply.value.held } : reply
  }

  preview({ runId, id }: HeldRequest): Promise<Result<HeldPreview>> {
    return this.#ports.client.calls.egress.preview({ runId, holdId: id })
  }

  /** Contract: counts for the body that was shown, and for no other. */
  async answer({ runId, id, egress }: HeldRequest, answer: HoldAnswer): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.egress.answer({ runId, holdId: id, digest: egress.digest, answer })
    return reply.ok ? null : reply.refusal
  }

  forget(): void {
    this.projects = new Set()
    this.chats = new Set()
  }

  #take(reply: Result<{ readonly projects: readonly string[]; readonly chats: readonly string[] }>): void {
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.projects = new Set(reply.value.projects)
    this.chats = new Set(reply.value.chats)
  }
}
