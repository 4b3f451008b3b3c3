/** Which model does what, where somebody chose one: everywhere, in a project, in a chat. */
import type { ModelChoice, ModelRole } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

/** Both null: everywhere. At most one of them is said. */
export interface RolePlace {
  readonly projectId: string | null
  readonly chatId: string | null
}

export interface ModelRoles {
  get(owner: Owner, place: RolePlace, role: ModelRole): ModelChoice | null
  /** Null takes it back. Contract: the caller has seen that place and provider are the owner's to name. */
  set(owner: Owner, place: RolePlace, chosen: { readonly role: ModelRole; readonly model: ModelChoice | null }): void
}

export function createModelRoles({ database }: Pick<StoreContext, 'database'>): ModelRoles {
  const get = database.prepare<[string, string, string], ModelChoice>(
    'SELECT providerId, modelId FROM model_roles WHERE userId = ? AND place = ? AND role = ?',
  )
  const set = database.prepare<(string | null)[]>(
    `INSERT INTO model_roles (userId, place, role, providerId, modelId, projectId, chatId) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (userId, place, role) DO UPDATE SET providerId = excluded.providerId, modelId = excluded.modelId`,
  )
  const remove = database.prepare<[string, string, string]>('DELETE FROM model_roles WHERE userId = ? AND place = ? AND role = ?')
  return {
    get: ({ userId }, place, role) => get.get(userId, nameOf(place), role) ?? null,
    set({ userId }, place, { role, model }) {
      if (model === null) remove.run(userId, nameOf(place), role)
      else set.run(userId, nameOf(place), role, model.providerId, model.modelId, place.projectId, place.chatId)
    },
  }
}

function nameOf({ projectId, chatId }: RolePlace): string {
  return chatId ?? projectId ?? ''
}
