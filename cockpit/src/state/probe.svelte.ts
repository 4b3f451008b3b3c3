/** How a model is spoken to, and the probe that finds it out: one at a time, followed here and going on at the server. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { ModelChoice, ProbeBounds, ProbeFrame, ProbeQuestion, ProbeStep, Profile } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'

/** A profile as it is known now, and what another probe would ask and cost. */
export interface SpokenTo {
  readonly profile: Profile
  readonly source: 'documentation' | 'probed' | 'imported' | 'corrected'
  readonly at: number | null
  readonly probing: { readonly bounds: ProbeBounds; readonly questions: readonly ProbeQuestion[] }
}

type ProbeAnswer = ProbeStep & { readonly tookMs: number }

/** A probe that is watched, or was. `lost`: the server that ran it is another one now. */
export interface WatchedProbe extends ModelChoice {
  readonly probeId: string
  readonly answers: readonly ProbeAnswer[]
  readonly outcome: Extract<ProbeFrame, { kind: 'ended' }>['outcome'] | 'lost' | null
  readonly refusal: Refusal | null
}

/** Between two attempts to reach a stream that broke off, in milliseconds. */
const againMs = 1000

export class ProbeState {
  watched = $state.raw<WatchedProbe | null>(null)
  readonly #ports: StatePorts
  #leaving = new AbortController()

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  /** The watched probe of this model, over or not. */
  of({ providerId, modelId }: ModelChoice): WatchedProbe | null {
    return this.watched?.providerId === providerId && this.watched.modelId === modelId ? this.watched : null
  }

  async read(model: ModelChoice): Promise<Result<SpokenTo>> {
    return this.#ports.client.calls.provider.profile(model)
  }

  async start(model: ModelChoice): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.provider.probe(model)
    if (!reply.ok) return reply.refusal
    this.follow({ ...model, probeId: reply.value.probeId })
    return null
  }

  async stop(): Promise<Refusal | null> {
    if (!this.watched) return null
    const reply = await this.#ports.client.calls.provider.cancelProbe({ probeId: this.watched.probeId })
    return reply.ok ? null : reply.refusal
  }

  /** Go back to what the documentation says. */
  async forgetProfile(model: ModelChoice): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.provider.forgetProfile(model)
    return reply.ok ? null : reply.refusal
  }

  /** Contract: each answer is taken once and in order, however often the line breaks. */
  follow(probe: ModelChoice & { readonly probeId: string }): void {
    if (this.watched?.probeId === probe.probeId) return
    this.forget()
    this.watched = { ...probe, answers: [], outcome: null, refusal: null }
    void this.#listen(probe.probeId, this.#leaving.signal)
  }

  forget(): void {
    this.#leaving.abort()
    this.#leaving = new AbortController()
    this.watched = null
  }

  /** Without a slot the line waits, and then hears everything from where it was. */
  async #listen(probeId: string, signal: AbortSignal): Promise<void> {
    for (let last: number | null = 0; last !== null && !signal.aborted; ) {
      const release = await this.#ports.client.takeSlot()
      if (release) last = await this.#hear({ probeId, last }, signal).finally(release)
      if (last !== null) await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }

  /** One line, till it breaks: the number of the last frame, or null when nothing more will come. */
  async #hear(
    { probeId, last: before }: { readonly probeId: string; readonly last: number },
    signal: AbortSignal,
  ): Promise<number | null> {
    let last = before
    const frames = this.#ports.client.calls.provider.probeStream({ probeId }, { signal, lastEventId: last })
    for (;;) {
      const { done, value } = await frames.next()
      if (signal.aborted) return null
      if (done && value.kind === 'refused' && value.refusal.retry !== 'later') {
        this.#end({ outcome: 'lost', refusal: value.refusal })
        return null
      }
      if (done) return last
      if (value.number <= last) continue
      last = value.number
      if (value.kind === 'ended') {
        this.#end(value)
        return null
      }
      this.#take({ ...value.step, tookMs: value.tookMs })
    }
  }

  #take(answer: ProbeAnswer): void {
    if (this.watched) this.watched = { ...this.watched, answers: [...this.watched.answers, answer] }
  }

  #end({ outcome, refusal }: Pick<WatchedProbe, 'outcome' | 'refusal'>): void {
    if (this.watched) this.watched = { ...this.watched, outcome, refusal }
  }
}
