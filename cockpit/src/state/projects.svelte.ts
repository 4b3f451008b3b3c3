/** Projects, with whom they are shared, and the directories among which a new one is chosen. */
import type { Project, ProjectShare } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import { type Attempt, callOnce, createAttempt } from './attempt.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export interface Directory {
  readonly path: string
  readonly parent: string | null
  readonly directories: readonly { readonly name: string; readonly path: string; readonly git: boolean }[]
  readonly cut: boolean
}

export class ProjectsState {
  list = $state.raw<readonly Project[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts
  readonly #adding: Attempt
  readonly #addingDemo: Attempt

  constructor(ports: StatePorts) {
    this.#ports = ports
    this.#adding = createAttempt(ports.newKey)
    this.#addingDemo = createAttempt(ports.newKey)
  }

  find(projectId: string | null): Project | null {
    return this.list.find((project) => project.id === projectId) ?? null
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.project.list({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.projects
    this.loaded = true
  }

  forget(): void {
    this.list = []
    this.loaded = false
  }

  async add(given: { name: string; path: string }): Promise<Result<Project>> {
    const reply = await callOnce(this.#adding, given, (options) => this.#ports.client.calls.project.create(given, options))
    if (!reply.ok) return reply
    this.#take(reply.value.project)
    return { ok: true, value: reply.value.project }
  }

  async addDemo(): Promise<Result<{ project: Project; suggestedPrompt: string }>> {
    const reply = await callOnce(this.#addingDemo, {}, (options) => this.#ports.client.calls.project.createDemo({}, options))
    if (reply.ok) this.#take(reply.value.project)
    return reply
  }

  async remove(projectId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.project.remove({ projectId })
    if (!reply.ok) return reply.refusal
    this.list = this.list.filter((project) => project.id !== projectId)
    return null
  }

  /** What removing it would erase. */
  previewRemoval(projectId: string): Promise<Result<{ chats: number; runs: number; shares: number }>> {
    return this.#ports.client.calls.project.previewRemoval({ projectId })
  }

  async listShares(projectId: string): Promise<Result<readonly ProjectShare[]>> {
    const reply = await this.#ports.client.calls.project.listShares({ projectId })
    if (!reply.ok) return reply
    this.#countShares(projectId, reply.value.shares.length)
    return { ok: true, value: reply.value.shares }
  }

  share(projectId: string, username: string): Promise<Result<unknown>> {
    return this.#ports.client.calls.project.share({ projectId, username })
  }

  async unshare(projectId: string, shareId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.project.unshare({ projectId, shareId })
    return reply.ok ? null : reply.refusal
  }

  /** Give back a project that somebody else shares. */
  async leave(projectId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.project.leave({ projectId })
    if (!reply.ok) return reply.refusal
    this.list = this.list.filter((project) => project.id !== projectId)
    return null
  }

  browse(path: string | null, signal?: AbortSignal): Promise<Result<Directory>> {
    return this.#ports.client.calls.project.browse(path === null ? {} : { path }, signal ? { signal } : {})
  }

  #countShares(projectId: string, sharedWith: number): void {
    this.list = this.list.map((project) => (project.id === projectId ? { ...project, sharedWith } : project))
  }

  #take(project: Project): void {
    this.list = [...this.list.filter((known) => known.id !== project.id), project]
  }
}
