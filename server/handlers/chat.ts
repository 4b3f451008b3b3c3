import type { Clock, Ids } from '@bridlewise/engine'
import type { chat, Handlers, Message } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Store } from '../storage/index.ts'

export interface ChatParts {
  readonly store: Pick<Store, 'chats' | 'messages' | 'runs' | 'projects'>
  readonly clock: Clock
  readonly ids: Ids
}

export function createChatHandlers({ store, clock, ids }: ChatParts): Handlers<typeof chat, CallContext> {
  const { chats, messages, runs, projects } = store
  return {
    create: async (context, { title = 'New chat', projectId = null }) => {
      const owner = callerOf(context)
      if (projectId !== null && !projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      return ok({ chat: chats.create(owner, { id: ids.next('chat'), title, projectId, createdAt: clock.now() }) })
    },
    list: async (context, page) => {
      const { items, next } = chats.list(callerOf(context), page)
      return ok({ chats: [...items], next })
    },
    get: async (context, { chatId, ...page }) => {
      const owner = callerOf(context)
      const found = chats.get(owner, chatId)
      if (!found) return refuse('thing_unknown', { kind: 'chat' })
      const { items, next } = messages.list(owner, chatId, page)
      return ok({ chat: found, messages: [...items], runs: [...runs.getMany(owner, runIdsOf(items))], next })
    },
    rename: async (context, { chatId, title }) => {
      const renamed = chats.rename(callerOf(context), chatId, title)
      return renamed.ok ? ok({ chat: renamed.value }) : renamed
    },
    remove: async (context, { chatId }) => {
      const removed = chats.remove(callerOf(context), chatId)
      return removed.ok ? ok({}) : removed
    },
  }
}

/** The runs that a page of messages speaks of, each once, in order. */
function runIdsOf(messages: readonly Message[]): string[] {
  return [...new Set(messages.map(({ runId }) => runId))]
}
