import type { Handlers, RoleLine, role } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { modelRoleSchema } from '@bridlewise/shared/wire'
import { type CallContext, callerOf } from '../projection/index.ts'
import { assignRole, findRole, type RoleStores, wantsTitles } from '../roles/index.ts'
import type { Owner, RolePlace } from '../storage/index.ts'

interface Asked {
  readonly chatId?: string | undefined
  readonly projectId?: string | undefined
}

export function createRoleHandlers(parts: RoleStores): Handlers<typeof role, CallContext> {
  const { store } = parts
  return {
    get: async (context, asked) => {
      const owner = callerOf(context)
      const lines = readLines(parts, owner, asked)
      return lines.ok ? ok({ roles: lines.value, titles: wantsTitles(store, owner) }) : lines
    },
    assign: async (context, { role, model, ...asked }) => {
      const owner = callerOf(context)
      const assigned = assignRole(parts, owner, { place: placeOf(asked), role, model })
      if (!assigned.ok) return assigned
      const lines = readLines(parts, owner, asked)
      return lines.ok ? ok({ roles: lines.value }) : lines
    },
    setTitles: async (context, { titles }) => {
      store.settings.set(callerOf(context), 'titles', titles ? 'small' : 'words')
      return ok({})
    },
  }
}

/** What holds in a place, and what was chosen for it alone. */
function readLines(parts: RoleStores, owner: Owner, asked: Asked): Result<RoleLine[]> {
  const { store } = parts
  const own = placeOf(asked)
  const chat = own.chatId === null ? null : store.chats.get(owner, own.chatId)
  if (own.chatId !== null && !chat) return refuse('thing_unknown', { kind: 'chat' })
  if (own.projectId !== null && !store.projects.reach(owner, own.projectId)) return refuse('thing_unknown', { kind: 'project' })
  if (own.chatId !== null && own.projectId !== null) {
    return refuse('input_invalid', { problem: 'it is about a chat or about a project, not about both' })
  }
  const place = chat ? { chatId: chat.id, projectId: chat.projectId } : own
  return ok(
    modelRoleSchema.options.map((role) => {
      const found = findRole(parts, owner, { role, place })
      const anywhere = own.chatId === null && own.projectId === null
      const chosen =
        role === 'main' && anywhere ? store.settings.get(owner, 'chosenModel') : store.modelRoles.get(owner, own, role)
      return { role, model: found?.model ?? null, from: found?.from ?? 'nobody', chosen }
    }),
  )
}

function placeOf({ chatId, projectId }: Asked): RolePlace {
  return { chatId: chatId ?? null, projectId: projectId ?? null }
}
