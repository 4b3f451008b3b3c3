/** The profiles of an account's models: what was probed or imported. Sealed with the account's settings, without address or key. */
import { type KnownProfile, knownProfileSchema, type ModelChoice, type Profile } from '@bridlewise/shared/wire'
import type { Owner, Store } from '../storage/index.ts'

/** The oldest goes when there are more. */
const mostProfiles = 200

type Stores = Pick<Store, 'settings'>

/** What is known of a model, or null. A profile of another version is as good as none. */
export function findProfile({ settings }: Stores, owner: Owner, model: ModelChoice): KnownProfile | null {
  const stored = (settings.get(owner, 'profiles') ?? []).find(isOf(model))
  const known = knownProfileSchema.safeParse(stored?.known)
  return known.success ? known.data : null
}

/** Contract: takes the place of what was known of the model. */
export function keepProfile(
  { settings }: Stores,
  owner: Owner,
  { model, known }: { readonly model: ModelChoice; readonly known: KnownProfile },
): void {
  const others = (settings.get(owner, 'profiles') ?? []).filter((stored) => !isOf(model)(stored))
  settings.set(owner, 'profiles', [...others, { ...model, known }].slice(-mostProfiles))
}

/**
 * Keep a fact that a refusal proved, beside whatever else is known by now.
 *
 * Contract: `profile` is what was spoken by, and is kept whole where nothing was stored. Nothing is kept of a provider that went.
 */
export function keepCorrection(
  stores: Pick<Store, 'settings' | 'providers' | 'transaction'>,
  owner: Owner,
  { model, learned, at }: { readonly model: ModelChoice; readonly learned: Learned; readonly at: number },
): void {
  stores.transaction(() => {
    if (!stores.providers.get(owner, model.providerId)) return
    const before = findProfile(stores, owner, model)?.profile ?? learned.profile
    keepProfile(stores, owner, { model, known: { profile: { ...before, ...learned.changed }, source: 'corrected', at } })
  })
}

interface Learned {
  readonly changed: Partial<Profile>
  readonly profile: Profile
}

/** Forget one model, or every model of a provider. */
export function dropProfiles(
  { settings }: Stores,
  owner: Owner,
  { providerId, modelId }: { readonly providerId: string; readonly modelId: string | null },
): void {
  const stored = settings.get(owner, 'profiles')
  if (stored === null) return
  const kept = stored.filter((one) => one.providerId !== providerId || (modelId !== null && one.modelId !== modelId))
  if (kept.length < stored.length) settings.set(owner, 'profiles', kept)
}

function isOf({ providerId, modelId }: ModelChoice): (stored: ModelChoice) => boolean {
  return (stored) => stored.providerId === providerId && stored.modelId === modelId
}
