/** Model endpoints, the model for new chats, and what is on offer when another is added. */
import type { Preset, Provider } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { ModelChoice } from '@bridlewise/shared/wire'
import { type Attempt, callOnce, createAttempt } from './attempt.ts'
import type { StatePorts } from './ports.ts'
import { ProbeState } from './probe.svelte.ts'
import { refusalOf } from './refusal-of.ts'

export interface NewProvider {
  readonly name: string
  readonly kind: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly models: readonly string[]
}

export interface ProviderChange {
  readonly providerId: string
  readonly name: string
  readonly models: readonly string[]
  /** `''` keeps the stored key, null removes it. */
  readonly apiKey: string | null
}

export interface ModelsAsk {
  readonly kind: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly providerId?: string
}

export interface Discovery {
  readonly found: readonly { kind: string; name: string; baseUrl: string; models: readonly string[] }[]
  readonly asked: readonly { name: string; baseUrl: string; answer: string }[]
}

/** A model that can be picked, with the provider's name. */
export interface ModelOption extends ModelChoice {
  readonly providerName: string
  readonly fixture: boolean
}

export class ProvidersState {
  list = $state.raw<readonly Provider[]>([])
  chosen = $state.raw<ModelChoice | null>(null)
  /** The server plays recorded words whatever is chosen. */
  recordedOnly = $state(false)
  presets = $state.raw<readonly Preset[]>([])
  loaded = $state(false)
  refusal = $state.raw<Refusal | null>(null)
  readonly models = $derived<ModelOption[]>(
    this.list.flatMap((provider) =>
      provider.models.map((modelId) => ({
        providerId: provider.id,
        modelId,
        providerName: provider.name,
        fixture: provider.fixture,
      })),
    ),
  )
  /** What a key was answered with when it was stored here just now, by provider. */
  keyChecks = $state.raw<ReadonlyMap<string, 'accepted' | 'not_checked'>>(new Map())
  readonly probe: ProbeState
  readonly #ports: StatePorts
  readonly #adding: Attempt

  constructor(ports: StatePorts) {
    this.#ports = ports
    this.probe = new ProbeState(ports)
    this.#adding = createAttempt(ports.newKey)
  }

  has(choice: ModelChoice | null): choice is ModelChoice {
    return this.models.some((model) => model.providerId === choice?.providerId && model.modelId === choice.modelId)
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.provider.list({})
    this.refusal = refusalOf(reply)
    if (!reply.ok) return
    this.list = reply.value.providers
    this.chosen = reply.value.chosen
    this.recordedOnly = reply.value.recordedOnly
    this.loaded = true
    if (reply.value.probe) this.probe.follow(reply.value.probe)
  }

  forget(): void {
    this.list = []
    this.chosen = null
    this.loaded = false
    this.keyChecks = new Map()
    this.probe.forget()
  }

  async loadPresets(): Promise<void> {
    const reply = await this.#ports.client.calls.provider.presets({})
    if (reply.ok) this.presets = reply.value.presets
  }

  /** Add an endpoint. Its first model becomes the choice when there was none that still stands. */
  async add(given: NewProvider): Promise<Result<Provider>> {
    const { apiKey, ...rest } = given
    const input = { ...rest, models: [...given.models], ...(apiKey === '' ? {} : { apiKey }) }
    const reply = await callOnce(this.#adding, input, (options) => this.#ports.client.calls.provider.create(input, options))
    if (!reply.ok) return reply
    if (apiKey !== '') this.#noteKey(reply.value)
    await this.load()
    const { id: providerId, models } = reply.value.provider
    if (models[0] && !this.has(this.chosen)) await this.choose({ providerId, modelId: models[0] })
    return { ok: true, value: reply.value.provider }
  }

  /** Add the recorded demo and choose it, or choose the one that is there. */
  async addDemo(): Promise<Result<ModelChoice>> {
    const known = this.models.find((model) => model.fixture)
    const choice = { providerId: known?.providerId ?? '', modelId: known?.modelId ?? 'demo' }
    if (!known) {
      const added = await this.add({ name: 'Recorded demo', kind: 'demo', baseUrl: '', apiKey: '', models: ['demo'] })
      if (!added.ok) return added
      choice.providerId = added.value.id
    }
    const refusal = await this.choose(choice)
    return refusal ? { ok: false, refusal } : { ok: true, value: choice }
  }

  async change(given: ProviderChange): Promise<Refusal | null> {
    const { apiKey, ...rest } = given
    const input = { ...rest, models: [...given.models], ...(apiKey === '' ? {} : { apiKey }) }
    const reply = await this.#ports.client.calls.provider.update(input)
    if (!reply.ok) return reply.refusal
    if (apiKey) this.#noteKey(reply.value)
    await this.load()
    return null
  }

  async remove(providerId: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.provider.remove({ providerId })
    if (!reply.ok) return reply.refusal
    await this.load()
    return null
  }

  async choose(model: ModelChoice): Promise<Refusal | null> {
    const before = this.chosen
    this.chosen = model
    const reply = await this.#ports.client.calls.provider.choose({ model })
    if (reply.ok) return null
    this.chosen = before
    return reply.refusal
  }

  discover(): Promise<Result<Discovery>> {
    return this.#ports.client.calls.provider.discover({})
  }

  /** With the key that was typed, or with the stored one of a provider that is there already. */
  async askModels(given: ModelsAsk): Promise<Result<readonly string[]>> {
    const { apiKey, ...endpoint } = given
    const reply = await this.#ports.client.calls.provider.listModels({ ...endpoint, ...(apiKey === '' ? {} : { apiKey }) })
    return reply.ok ? { ok: true, value: reply.value.models } : reply
  }

  #noteKey({ provider, keyCheck }: { readonly provider: Provider; readonly keyCheck: 'accepted' | 'not_checked' }): void {
    this.keyChecks = new Map(this.keyChecks).set(provider.id, keyCheck)
  }
}
