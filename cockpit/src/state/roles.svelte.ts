/** Which model does what: everywhere, and in the project or chat at hand. */
import type { RoleLine } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { ModelChoice, ModelRole } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

/** A chat, a project, or neither: everywhere. */
export interface RoleScope {
  readonly chatId?: string
  readonly projectId?: string
}

export class RolesState {
  /** Of the place that is open: the chat, or the project that a new one begins in. */
  here = $state.raw<readonly RoleLine[]>([])
  /** Whether chats are named by the small model. */
  titles = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  /** The main model, where this very chat or project has one. */
  readonly own = $derived.by<ModelChoice | null>(() => {
    const main = this.here.find(({ role }) => role === 'main')
    return main?.from === 'chat' || main?.from === 'project' ? main.model : null
  })
  readonly #ports: StatePorts
  #asked = 0

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  forget(): void {
    this.here = []
    this.titles = false
  }

  /** Come to a place. Contract: what is shown is of the place that was opened last. */
  async open(scope: RoleScope): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    this.here = []
    const lines = await this.read(scope)
    if (asked === this.#asked && lines.ok) this.here = lines.value
  }

  /** What holds in a place. */
  async read(scope: RoleScope): Promise<Result<readonly RoleLine[]>> {
    const reply = await this.#ports.client.calls.role.get(scope)
    this.refusal = refusalOf(reply)
    if (!reply.ok) return reply
    this.titles = reply.value.titles
    return { ok: true, value: reply.value.roles }
  }

  /** Choose a model for a place, or with null let what is chosen around it do. */
  async assign(scope: RoleScope, role: ModelRole, model: ModelChoice | null): Promise<Result<readonly RoleLine[]>> {
    const reply = await this.#ports.client.calls.role.assign({ ...scope, role, model })
    return reply.ok ? { ok: true, value: reply.value.roles } : reply
  }

  async setTitles(titles: boolean): Promise<Refusal | null> {
    const before = this.titles
    this.titles = titles
    const reply = await this.#ports.client.calls.role.setTitles({ titles })
    if (reply.ok) return null
    this.titles = before
    return reply.refusal
  }
}
