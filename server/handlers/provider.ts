import type { Clock, Ids } from '@bridlewise/engine'
import type { Handlers, Provider, provider } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelChoice } from '@bridlewise/shared/wire'
import type { Bridge } from '../llm/bridge.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import { checkKey, dropProfiles, findProfile, keepProfile, type Probes } from '../providers/index.ts'
import type { Owner, Store } from '../storage/index.ts'

export interface ProviderParts {
  readonly store: Pick<Store, 'providers' | 'settings' | 'transaction'>
  readonly bridge: Pick<Bridge, 'presets' | 'checkAddress' | 'listModels' | 'discover' | 'startingProfile' | 'probing'>
  readonly probes: Probes
  readonly clock: Clock
  readonly ids: Ids
  /** Recorded words are played whatever is chosen. */
  readonly fixtures: boolean
}

/**
 * A stored key goes to the address it was given for and nowhere else: no operation changes the
 * address of a provider, and none shows more of a key than its last four characters.
 */
export function createProviderHandlers(parts: ProviderParts): Handlers<typeof provider, CallContext> {
  const { store, bridge, probes, clock, ids, fixtures } = parts
  const { providers, settings } = store

  /** A model that stands with one of the caller's providers. */
  function findModel(owner: Owner, { providerId, modelId }: ModelChoice): Result<Provider> {
    const provider = providers.get(owner, providerId)
    if (!provider) return refuse('thing_unknown', { kind: 'provider' })
    return provider.models.includes(modelId) ? ok(provider) : refuse('model_not_configured', { name: provider.name, modelId })
  }

  return {
    create: async (context, { name, kind, baseUrl, apiKey, models }) => {
      const owner = callerOf(context)
      const address = addressOf(bridge, kind, baseUrl)
      if (!address.ok) return address
      const key = readKey(apiKey)
      if (!key.ok) return key
      const fixture = kind === 'demo'
      const apiKeyOrNull = fixture ? null : (key.value ?? null)
      const checked = await checkKey(bridge, { kind, baseUrl: address.value, apiKey: apiKeyOrNull }, context.signal)
      if (!checked.ok) return checked
      const draft = {
        id: ids.next('provider'),
        name,
        kind,
        baseUrl: address.value,
        apiKey: apiKeyOrNull,
        models: fixture && models.length === 0 ? ['demo'] : unique(models),
        createdAt: clock.now(),
      }
      const created = store.transaction(() => {
        const made = providers.create(owner, draft)
        settleChoice(store, owner, made)
        return made
      })
      return ok({ provider: created, keyCheck: checked.value })
    },
    update: async (context, { providerId, name, models, apiKey }) => {
      const owner = callerOf(context)
      const key = readKey(apiKey)
      if (!key.ok) return key
      const before = providers.get(owner, providerId)
      if (!before) return refuse('thing_unknown', { kind: 'provider' })
      const checked = await checkKey(bridge, { ...before, apiKey: key.value ?? null }, context.signal)
      if (!checked.ok) return checked
      return store.transaction(() => {
        const changed = providers.update(owner, providerId, { name, models: models && unique(models), apiKey: key.value })
        if (!changed.ok) return changed
        settleChoice(store, owner, changed.value)
        return ok({ provider: changed.value, keyCheck: checked.value })
      })
    },
    remove: async (context, { providerId }) => {
      const owner = callerOf(context)
      return store.transaction(() => {
        const removed = providers.remove(owner, providerId)
        if (!removed.ok) return removed
        dropProfiles(store, owner, { providerId, modelId: null })
        return ok({})
      })
    },
    profile: async (context, model) => {
      const owner = callerOf(context)
      const found = findModel(owner, model)
      if (!found.ok) return found
      const known = findProfile(store, owner, model)
      const documented = {
        profile: bridge.startingProfile(found.value.kind, model.modelId),
        source: 'documentation',
        at: null,
      } as const
      return ok({ ...(known ?? documented), probing: { ...bridge.probing, questions: [...bridge.probing.questions] } })
    },
    importProfile: async (context, { profile, ...model }) => {
      const owner = callerOf(context)
      const found = findModel(owner, model)
      if (!found.ok) return found
      store.transaction(() => keepProfile(store, owner, { model, known: { profile, source: 'imported', at: clock.now() } }))
      return ok({})
    },
    forgetProfile: async (context, model) => {
      const owner = callerOf(context)
      const found = findModel(owner, model)
      if (!found.ok) return found
      store.transaction(() => dropProfiles(store, owner, model))
      return ok({})
    },
    probe: async (context, model) => {
      const started = probes.start(callerOf(context), model)
      return started.ok ? ok({ probeId: started.value }) : started
    },
    probeStream: async (context, { probeId }) => {
      // A probe is told from its start again to whoever has not seen that much of it.
      const last = typeof context.lastEventId === 'number' ? context.lastEventId : 0
      return probes.watch(callerOf(context), { probeId, last }, context.signal)
    },
    cancelProbe: async (context, { probeId }) => {
      const cancelled = probes.cancel(callerOf(context), probeId)
      return cancelled.ok ? ok({}) : cancelled
    },
    list: async (context) => {
      const owner = callerOf(context)
      const chosen = settings.get(owner, 'chosenModel')
      return ok({ providers: [...providers.list(owner)], chosen, recordedOnly: fixtures, probe: probes.current(owner) })
    },
    presets: async () => ok({ presets: [...bridge.presets] }),
    discover: async (context) => {
      const { found, asked } = await bridge.discover(context.signal)
      return ok({ found: found.map((server) => ({ ...server, models: [...server.models] })), asked: [...asked] })
    },
    listModels: async (context, { kind, baseUrl, apiKey, providerId }) => {
      const key = readKey(apiKey)
      if (!key.ok) return key
      const owner = callerOf(context)
      const stored = providerId === undefined ? null : providers.get(owner, providerId)
      if (providerId !== undefined && !stored) return refuse('thing_unknown', { kind: 'provider' })
      // A stored key goes with its own address only, so the one that was named does not count beside it.
      const endpoint =
        stored && key.value === undefined
          ? { kind: stored.kind, baseUrl: stored.baseUrl, apiKey: providers.keyOf(owner, stored.id) }
          : { kind, baseUrl, apiKey: key.value ?? null }
      const models = await bridge.listModels(endpoint, context.signal)
      return models.ok ? ok({ models: [...models.value] }) : models
    },
    choose: async (context, { model }) => {
      const owner = callerOf(context)
      const chosen = providers.get(owner, model.providerId)
      if (!chosen) return refuse('provider_not_configured')
      const { name, models } = chosen
      if (!models.includes(model.modelId)) return refuse('model_not_configured', { name, modelId: model.modelId })
      settings.set(owner, 'chosenModel', model)
      return ok({ chosen: model })
    },
  }
}

/** The demo has no address; a well-known service has one that need not be typed. */
function addressOf(bridge: ProviderParts['bridge'], kind: string, typed: string): Result<string> {
  if (kind === 'demo') return ok('')
  const usual = bridge.presets.find((preset) => preset.kind === kind)?.baseUrl ?? ''
  return bridge.checkAddress(typed.trim() === '' ? usual : typed)
}

/** Keys are pasted, often with a line end; what cannot stand in a header is no key, and neither is a mask of one. */
function readKey<Key extends string | null | undefined>(typed: Key): Result<string | Exclude<Key, string>> {
  if (typeof typed !== 'string') return ok(typed as Exclude<Key, string>)
  const key = typed.trim()
  return /^[\x21-\x7e]+$/.test(key) && !key.includes('***')
    ? ok(key)
    : refuse('input_invalid', { problem: 'apiKey: it is empty or holds what no key holds' })
}

/** The first provider with a model is chosen by itself; a choice whose model is gone moves to one that is there. */
function settleChoice({ settings }: Pick<ProviderParts['store'], 'settings'>, owner: Owner, changed: Provider): void {
  const chosen: ModelChoice | null = settings.get(owner, 'chosenModel')
  const stands = chosen && (chosen.providerId !== changed.id || changed.models.includes(chosen.modelId))
  if (stands) return
  const [first] = changed.models
  if (first !== undefined) settings.set(owner, 'chosenModel', { providerId: changed.id, modelId: first })
  else if (chosen) settings.remove(owner, 'chosenModel')
}

function unique(models: readonly string[]): string[] {
  return [...new Set(models)]
}
