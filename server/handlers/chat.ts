import { randomBytes } from 'node:crypto'
import type { chat, Handlers, Message } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { holdPlace, readHeldPlaces, readRedactions, writeChat } from '../egress/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import { compareRewind, forkChat, previewRewind, type RewindParts, readMarks, rewindChat, toMark } from '../rewinds/index.ts'
import type { Store } from '../storage/index.ts'

type ChatHandlerParts = RewindParts & { readonly store: Pick<Store, 'settings' | 'providers'> }

export function createChatHandlers(parts: ChatHandlerParts): Handlers<typeof chat, CallContext> {
  const { store, clock, ids } = parts
  const { chats, messages, runs, projects } = store
  return {
    create: async (context, { title: given, projectId = null }) => {
      const owner = callerOf(context)
      if (projectId !== null && !projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      const title = given === undefined ? ({ title: 'New chat' } as const) : ({ title: given, titleFrom: 'given' } as const)
      return ok({ chat: chats.create(owner, { id: ids.next('chat'), ...title, projectId, createdAt: clock.now() }) })
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
      const runIds = runIdsOf(items)
      const marks = readMarks(store, owner, { chatId, runIds })
      return ok({ chat: found, messages: [...items], runs: [...runs.getMany(owner, runIds)], ...marks, next })
    },
    rename: async (context, { chatId, title }) => {
      const renamed = chats.rename(callerOf(context), chatId, title)
      return renamed.ok ? ok({ chat: renamed.value }) : renamed
    },
    remove: async (context, { chatId }) => {
      const removed = chats.remove(callerOf(context), chatId)
      return removed.ok ? ok({}) : removed
    },
    export: async (context, { chatId }) => {
      const owner = callerOf(context)
      const found = chats.get(owner, chatId)
      if (!found) return refuse('thing_unknown', { kind: 'chat' })
      return writeChat(store, owner, {
        chat: found,
        secrets: store.providers.secrets(owner),
        rules: readRedactions(store, owner),
        salt: randomBytes(16).toString('hex'),
      })
    },
    fork: async (context, request) => {
      const owner = callerOf(context)
      const forked = forkChat(parts, owner, request)
      if (!forked.ok) return forked
      // Whoever wants to see what leaves of a past wants it for each chat that has it.
      if (readHeldPlaces(store, owner).chats.includes(request.chatId))
        holdPlace(store, owner, { place: { projectId: null, chatId: forked.value.id }, held: true })
      return ok({ chat: forked.value })
    },
    previewRewind: (context, target) => previewRewind(parts, callerOf(context), target),
    compareRewind: (context, file) => compareRewind(parts, callerOf(context), file),
    rewind: async (context, request) => {
      const done = await rewindChat(parts, callerOf(context), request)
      return done.ok ? ok({ rewind: toMark(done.value.record, true), files: done.value.files }) : done
    },
  }
}

/** The runs that a page of messages speaks of, each once, in order. */
function runIdsOf(messages: readonly Message[]): string[] {
  return [...new Set(messages.map(({ runId }) => runId))]
}
