/** What left for models: request by request, in one project, in one run, or in all; and whether something ever did. */
import type { SentHit } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { Departure, EgressPart } from '@bridlewise/shared/wire'
import type { BlocksClient } from '../client/index.ts'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export type SentQuestion = Parameters<BlocksClient['egress']['find']>[0]['question']

/** Whose requests are listed. */
export type SentScope =
  | { readonly of: 'all' }
  | { readonly of: 'project'; readonly projectId: string }
  | { readonly of: 'run'; readonly runId: string }

/** What was asked for, how far was looked, and what was found there. */
export interface SentAnswer {
  readonly question: SentQuestion
  readonly hits: readonly SentHit[]
  readonly looked: { readonly texts: number; readonly bytes: number; readonly requests: number }
  readonly more: boolean
  /** Where to look on; null when everything was looked at. */
  readonly next: number | null
}

export class SentState {
  scope = $state.raw<SentScope>({ of: 'all' })
  requests = $state.raw<readonly Departure[]>([])
  next = $state<string | null>(null)
  loaded = $state(false)
  loading = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  answer = $state.raw<SentAnswer | null>(null)
  searching = $state(false)
  searchRefusal = $state.raw<Refusal | null>(null)
  readonly #ports: StatePorts
  /** Parts never change, so each request is read once. */
  readonly #parts = new Map<string, readonly EgressPart[]>()
  #asked = 0

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async show(scope: SentScope): Promise<void> {
    this.scope = scope
    this.requests = []
    this.next = null
    this.loaded = false
    await this.#read()
  }

  async loadMore(): Promise<void> {
    if (this.next !== null && !this.loading) await this.#read()
  }

  /** The requests of one run, for a turn on screen. */
  async ofRun(runId: string): Promise<Result<readonly Departure[]>> {
    const reply = await this.#ports.client.calls.egress.list({ runId })
    return reply.ok ? { ok: true, value: reply.value.requests } : reply
  }

  async partsOf({ id, runId }: Departure): Promise<Result<readonly EgressPart[]>> {
    // A probe holds fixed words of ours: it has no parts to tell apart.
    if (runId === null) return { ok: true, value: [] }
    const known = this.#parts.get(id)
    if (known) return { ok: true, value: known }
    const reply = await this.#ports.client.calls.egress.parts({ runId, departureId: id })
    if (!reply.ok) return reply
    this.#parts.set(id, reply.value.parts)
    return { ok: true, value: reply.value.parts }
  }

  /** The requests of a run as lines to save. They hold no text that was sent. */
  async exportOf(runId: string): Promise<Result<string>> {
    const reply = await this.#ports.client.calls.egress.export({ runId })
    return reply.ok ? { ok: true, value: reply.value.lines } : reply
  }

  async find(question: SentQuestion): Promise<void> {
    this.answer = null
    await this.#look({ question, hits: [], looked: { texts: 0, bytes: 0, requests: 0 }, more: false, next: null })
  }

  /** Look on where the last look stopped. */
  async findFurther(): Promise<void> {
    if (this.answer && this.answer.next !== null) await this.#look(this.answer)
  }

  forget(): void {
    this.scope = { of: 'all' }
    this.requests = []
    this.next = null
    this.loaded = false
    this.answer = null
    this.searchRefusal = null
    this.#parts.clear()
  }

  /** A scope that was left meanwhile gets no answer. */
  async #read(): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    this.loading = true
    const reply = await this.#ask(this.scope)
    if (asked !== this.#asked) return
    this.loading = false
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.requests = [...this.requests, ...reply.value.requests]
    this.next = reply.value.next ?? null
    this.loaded = true
  }

  async #ask(scope: SentScope): Promise<Result<{ readonly requests: readonly Departure[]; readonly next?: string | undefined }>> {
    if (scope.of === 'run') {
      const reply = await this.ofRun(scope.runId)
      return reply.ok ? { ok: true, value: { requests: reply.value.toReversed() } } : reply
    }
    const project = scope.of === 'project' ? { projectId: scope.projectId } : {}
    return this.#ports.client.calls.egress.recent({ ...project, limit: 100, ...(this.next ? { after: this.next } : {}) })
  }

  async #look({ question, hits, looked, next }: SentAnswer): Promise<void> {
    this.searching = true
    const reply = await this.#ports.client.calls.egress.find({ question, ...(next === null ? {} : { before: next }) })
    this.searching = false
    this.searchRefusal = refusalOf(reply)
    if (!reply.ok) return
    const found = reply.value
    // A request is found in every stretch that holds one of its texts; it is told once.
    const known = new Set(hits.map(({ departure }) => departure.id))
    this.answer = {
      question,
      hits: [...hits, ...found.hits.filter(({ departure }) => !known.has(departure.id))],
      looked: {
        texts: looked.texts + found.looked.texts,
        bytes: looked.bytes + found.looked.bytes,
        requests: looked.requests + found.looked.requests,
      },
      more: found.more,
      next: found.next,
    }
  }
}
