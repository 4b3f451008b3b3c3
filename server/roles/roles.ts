/** Which model does what, by chat, project and person. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelChoice, ModelRole } from '@bridlewise/shared/wire'
import type { Bridge } from '../llm/bridge.ts'
import type { Owner, RolePlace, Store } from '../storage/index.ts'

export interface RoleStores {
  readonly store: Pick<Store, 'modelRoles' | 'settings' | 'providers' | 'chats' | 'projects'>
  readonly bridge: Pick<Bridge, 'needsKey'>
}

export interface FoundRole {
  readonly model: ModelChoice
  /** `main`: nobody chose one for this role, so the main model does its work. */
  readonly from: 'chat' | 'project' | 'everywhere' | 'main'
}

/**
 * The model of a role in a place; a chat counts as in its project.
 *
 * Contract: a choice whose provider, model or key is gone counts as none, save the one for new chats, which is
 * given as it stands so that a run can say what is wrong with it. Null where there is none.
 */
export function findRole(
  parts: RoleStores,
  owner: Owner,
  asked: { readonly role: ModelRole; readonly place: RolePlace },
): FoundRole | null {
  const { role, place } = asked
  const { chatId, projectId } = place
  const places: readonly (readonly [FoundRole['from'], RolePlace])[] = [
    ...(chatId === null ? [] : [['chat', { chatId, projectId: null }] as const]),
    ...(projectId === null ? [] : [['project', { chatId: null, projectId }] as const]),
    ...(role === 'main' ? [] : [['everywhere', everywhere] as const]),
  ]
  for (const [from, where] of places) {
    const model = parts.store.modelRoles.get(owner, where, role)
    if (model && stands(parts, owner, model)) return { model, from }
  }
  if (role === 'embedding') return null
  if (role === 'small') {
    const main = findRole(parts, owner, { role: 'main', place })
    return main && { model: main.model, from: 'main' }
  }
  const model = parts.store.settings.get(owner, 'chosenModel')
  return model && { model, from: 'everywhere' }
}

/**
 * Choose a model for a role in a place, or with null take the choice back.
 *
 * Refuses: thing_unknown, provider_not_configured, model_not_configured, input_invalid for two places at once.
 */
export function assignRole(
  { store }: RoleStores,
  owner: Owner,
  { place, role, model }: { readonly place: RolePlace; readonly role: ModelRole; readonly model: ModelChoice | null },
): Result<'assigned'> {
  const { chatId, projectId } = place
  if (chatId !== null && !store.chats.get(owner, chatId)) return refuse('thing_unknown', { kind: 'chat' })
  if (projectId !== null && !store.projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
  if (chatId !== null && projectId !== null)
    return refuse('input_invalid', { problem: 'it is for a chat or for a project, not for both' })
  const provider = model && store.providers.get(owner, model.providerId)
  if (model && !provider) return refuse('provider_not_configured')
  if (model && !provider?.models.includes(model.modelId)) {
    return refuse('model_not_configured', { name: provider?.name ?? '', modelId: model.modelId })
  }
  if (role !== 'main' || chatId !== null || projectId !== null) store.modelRoles.set(owner, place, { role, model })
  else if (model) store.settings.set(owner, 'chosenModel', model)
  else store.settings.remove(owner, 'chosenModel')
  return ok('assigned')
}

/** Whether chats of this person get titles from the small model. Nobody's do unless they said so. */
export function wantsTitles({ settings }: Pick<Store, 'settings'>, owner: Owner): boolean {
  return settings.get(owner, 'titles') === 'small'
}

const everywhere: RolePlace = { chatId: null, projectId: null }

function stands({ store, bridge }: RoleStores, owner: Owner, { providerId, modelId }: ModelChoice): boolean {
  const provider = store.providers.get(owner, providerId)
  if (!provider?.models.includes(modelId)) return false
  return provider.key.stored || !bridge.needsKey(provider)
}
