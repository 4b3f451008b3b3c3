/**
 * Probes under way: started once, watched by anyone who may, ended by a cancel or by the server's stop.
 *
 * They live in memory. A probe that dies with the server stored nothing, and starting it again is safe.
 */
import type { Clock, Ids } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelChoice, ProbeFrame } from '@bridlewise/shared/wire'
import type { Bridge } from '../llm/bridge.ts'
import type { Owner, Store } from '../storage/index.ts'
import { keepProfile } from './profiles.ts'

export interface ProbesParts {
  readonly store: Pick<Store, 'providers' | 'settings' | 'ledger' | 'departures' | 'transaction'>
  readonly bridge: Pick<Bridge, 'probe' | 'needsKey'>
  readonly clock: Clock
  readonly ids: Ids
  readonly reportFault: (cause: unknown) => string
}

export interface Probes {
  /**
   * Start a probe of one model, or give the one under way for it.
   *
   * Refuses: thing_unknown, model_not_configured, provider_key_missing, input_invalid, probe_under_way.
   */
  start(owner: Owner, model: ModelChoice): Result<string>
  /** Its frames after `lastSeen`, up to the last. Refuses: thing_unknown. */
  watch(
    owner: Owner,
    seen: { readonly probeId: string; readonly last: number },
    signal: AbortSignal,
  ): Result<AsyncIterable<ProbeFrame>>
  /** The one that is under way, or null. */
  current(owner: Owner): (ModelChoice & { readonly probeId: string }) | null
  /** Contract: nothing more is sent, and what was known before stays. Refuses: thing_unknown. */
  cancel(owner: Owner, probeId: string): Result<'cancelled'>
  /** Ends every probe. */
  close(): Promise<void>
}

interface Running {
  readonly id: string
  readonly owner: Owner
  readonly model: ModelChoice
  readonly frames: ProbeFrame[]
  readonly controller: AbortController
  done: Promise<void>
  changed: PromiseWithResolvers<void>
}

/** Ended probes that can still be read. */
const mostKept = 20

export function createProbes(parts: ProbesParts): Probes {
  const { store, bridge, clock, ids } = parts
  const probes = new Map<string, Running>()

  const find = (owner: Owner, probeId: string) => {
    const found = probes.get(probeId)
    return found?.owner.userId === owner.userId ? found : undefined
  }

  const underWay = (owner: Owner) => [...probes.values()].find((one) => one.owner.userId === owner.userId && !isOver(one))

  return {
    start(owner, model) {
      const under = underWay(owner)
      if (under) {
        const same = under.model.providerId === model.providerId && under.model.modelId === model.modelId
        return same ? ok(under.id) : refuse('probe_under_way')
      }
      const provider = store.providers.get(owner, model.providerId)
      if (!provider) return refuse('thing_unknown', { kind: 'provider' })
      const { name, kind, baseUrl, models, fixture } = provider
      if (fixture) return refuse('input_invalid', { problem: 'recorded words have no endpoint' })
      if (!models.includes(model.modelId)) return refuse('model_not_configured', { name, modelId: model.modelId })
      if (bridge.needsKey(provider) && !provider.key.stored) return refuse('provider_key_missing', { name })
      const running: Running = {
        id: ids.next('probe'),
        owner: { userId: owner.userId },
        model,
        frames: [],
        controller: new AbortController(),
        done: Promise.resolve(),
        changed: Promise.withResolvers(),
      }
      probes.set(running.id, running)
      for (const id of [...probes.keys()].slice(0, -mostKept)) probes.delete(id)
      running.done = run(running, { kind, baseUrl, apiKey: store.providers.keyOf(owner, model.providerId) })
      return ok(running.id)
    },
    watch(owner, { probeId, last }, signal) {
      const found = find(owner, probeId)
      return found ? ok(follow(found, last, signal)) : refuse('thing_unknown', { kind: 'probe' })
    },
    current(owner) {
      const under = underWay(owner)
      return under ? { probeId: under.id, ...under.model } : null
    },
    cancel(owner, probeId) {
      const found = find(owner, probeId)
      if (!found) return refuse('thing_unknown', { kind: 'probe' })
      found.controller.abort()
      return ok('cancelled')
    },
    async close() {
      for (const { controller } of probes.values()) controller.abort()
      await Promise.all([...probes.values()].map(({ done }) => done))
    },
  }

  async function run(running: Running, endpoint: Parameters<Bridge['probe']>[0]['endpoint']): Promise<void> {
    const { owner, model, controller } = running
    let step = 0
    let told = clock.elapsed()
    try {
      const found = await bridge.probe(
        { endpoint, modelId: model.modelId },
        {
          async onSend(egress) {
            step += 1
            const scope = { ...owner, runId: null, chatId: null }
            await store.ledger.append(scope, { kind: 'request', source: 'server', payload: { step, egress } })
            await store.departures.appendProbe(owner, { id: ids.next('departure'), step, at: clock.now(), egress })
          },
          onStep(one) {
            const tookMs = Math.round(clock.elapsed() - told)
            told = clock.elapsed()
            tell(running, { kind: 'step', step: one, tookMs })
          },
        },
        controller.signal,
      )
      if (!found.ok) return tell(running, { kind: 'ended', outcome: 'refused', refusal: found.refusal })
      const known = { profile: found.value, source: 'probed', at: clock.now() } as const
      const stored = store.transaction(() => {
        // The provider may have gone meanwhile, and nothing may be left of it.
        if (!store.providers.get(owner, model.providerId)) return false
        keepProfile(store, owner, { model, known })
        return true
      })
      tell(running, { kind: 'ended', outcome: stored ? 'stored' : 'cancelled', refusal: null })
    } catch (cause) {
      if (!controller.signal.aborted) parts.reportFault(cause)
      tell(running, { kind: 'ended', outcome: controller.signal.aborted ? 'cancelled' : 'failed', refusal: null })
    }
  }
}

type Draft = ProbeFrame extends infer Frame ? (Frame extends ProbeFrame ? Omit<Frame, 'number'> : never) : never

function tell(running: Running, draft: Draft): void {
  running.frames.push({ ...draft, number: running.frames.length + 1 })
  running.changed.resolve()
  running.changed = Promise.withResolvers()
}

function isOver({ frames }: Running): boolean {
  return frames.at(-1)?.kind === 'ended'
}

async function* follow(running: Running, last: number, signal: AbortSignal): AsyncGenerator<ProbeFrame> {
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  for (let next = last; !signal.aborted; ) {
    const frame = running.frames[next]
    if (frame) {
      next += 1
      yield frame
      if (frame.kind === 'ended') return
    } else if (isOver(running)) return
    else await Promise.race([running.changed.promise, left])
  }
}
