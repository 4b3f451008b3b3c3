import { type Notes, readNotes, standingBeats } from '@bridlewise/engine'
import type { ChatContext, context, Handlers } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Beat, BeatDraft, BeatKind } from '@bridlewise/shared/wire'
import type { Bridge } from '../llm/bridge.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import { type RunControl, readsInstructions, windowOf } from '../runs/index.ts'
import type { Owner, Store } from '../storage/index.ts'

export interface ContextParts {
  readonly store: Pick<Store, 'chats' | 'runs' | 'projects' | 'providers' | 'settings' | 'ledger' | 'transaction'>
  readonly bridge: Pick<Bridge, 'startingProfile'>
  readonly control: Pick<RunControl, 'compact'>
}

/** The entries that say what is sent of a chat; a rewind takes some of them back. */
const noted: readonly BeatKind[] = ['compaction', 'boundary', 'goal', 'quarantine', 'restored', 'rewind', 'forked']

export function createContextHandlers(parts: ContextParts): Handlers<typeof context, CallContext> {
  const { store, control } = parts

  /** Write one entry, unless what it speaks of is not there, and give what holds then. */
  const change = (owner: Owner, chatId: string, draft: (notes: Notes) => BeatDraft | null): Result<{ context: ChatContext }> =>
    store.transaction(() => {
      if (!store.chats.get(owner, chatId)) return refuse('thing_unknown', { kind: 'chat' })
      const written = draft(readNotes(readNoted(store, owner, chatId)))
      if (written === null) return refuse('thing_unknown', { kind: 'message' })
      store.ledger.write({ ...owner, runId: null, chatId }, written)
      return readChatContext(parts, owner, chatId)
    })

  return {
    get: async (call, { chatId }) => readChatContext(parts, callerOf(call), chatId),
    compact: async (call, { chatId }) => {
      const { userId } = callerOf(call)
      const started = await control.compact({ userId, id: chatId, idempotencyKey: call.idempotencyKey })
      return started.ok ? ok({ run: started.value }) : started
    },
    move: async (call, { chatId, upTo }) =>
      change(callerOf(call), chatId, () => ({ kind: 'boundary', payload: { upTo }, source: 'user' })),
    pin: async (call, { chatId, goal }) =>
      change(callerOf(call), chatId, () => ({ kind: 'goal', payload: { text: goal }, source: 'user' })),
    restore: async (call, { chatId, seq, message }) =>
      change(callerOf(call), chatId, ({ quarantined }) => {
        const isLeftOut = quarantined.some((item) => item.seq === seq && item.message === message)
        return isLeftOut ? { kind: 'restored', payload: { items: [{ seq, message }] }, source: 'user' } : null
      }),
    setWindow: async (call, { providerId, modelId, tokens }) => {
      const owner = callerOf(call)
      const provider = store.providers.get(owner, providerId)
      if (!provider?.models.includes(modelId)) return refuse('thing_unknown', { kind: 'model' })
      const { [`${providerId}/${modelId}`]: _before, ...others } = store.settings.get(owner, 'contextWindows') ?? {}
      store.settings.set(owner, 'contextWindows', tokens === null ? others : { ...others, [`${providerId}/${modelId}`]: tokens })
      return ok({})
    },
    setInstructions: async (call, { projectId, projectInstructions }) => {
      const owner = callerOf(call)
      if (!store.projects.reach(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
      const off = (store.settings.get(owner, 'instructionsOff') ?? []).filter((id) => id !== projectId)
      store.settings.set(owner, 'instructionsOff', projectInstructions === 'read' ? off : [...off, projectId])
      return ok({})
    },
  }
}

function readChatContext(parts: ContextParts, owner: Owner, chatId: string): Result<{ context: ChatContext }> {
  const { store } = parts
  const chat = store.chats.get(owner, chatId)
  if (!chat) return refuse('thing_unknown', { kind: 'chat' })
  const beats = readNoted(store, owner, chatId)
  const { boundary, goal, quarantined } = readNotes(beats)
  const [run] = store.runs.list(owner, { chatId, limit: 1 }).items
  const model = run ? { providerId: run.model.providerId, modelId: run.model.modelId } : null
  const request = newestOwn(store, owner, { chatId, kind: 'request' })
  const response = newestOwn(store, owner, { chatId, kind: 'response' })
  return ok({
    context: {
      goal,
      meter: request?.kind === 'request' ? (request.payload.context ?? null) : null,
      usage: response?.kind === 'response' ? response.payload.usage : null,
      model,
      window: model ? windowOf(parts, owner, model) : { tokens: null, from: 'nobody' },
      boundary: boundary.upTo,
      compactions: beats
        .filter((beat) => beat.kind === 'compaction')
        .map(describeCompaction)
        .reverse(),
      quarantined: quarantined.map(({ seq, message, label }) => ({ seq, message, label })),
      projectInstructions: chat.projectId === null || readsInstructions(store, owner, chat.projectId) ? 'read' : 'left_out',
    },
  })
}

function describeCompaction({ id, at, payload: { summary: _words, ...figures } }: Extract<Beat, { kind: 'compaction' }>) {
  return { id, at, ...figures }
}

interface Newest {
  readonly chatId: string
  readonly kind: BeatKind
}

/** What a child asked or was answered is of its own conversation, so it is passed over; the newest one is seldom a child's. */
function newestOwn({ ledger }: ContextParts['store'], owner: Owner, { chatId, kind }: Newest): Beat | undefined {
  const find = (limit: number) =>
    ledger.newest(owner, { chatId, kinds: [kind], limit }).find(({ within }) => within === undefined)
  return find(1) ?? find(300)
}

/** Oldest first. */
function readNoted({ ledger }: ContextParts['store'], owner: Owner, chatId: string): readonly Beat[] {
  return standingBeats(ledger.newest(owner, { chatId, kinds: noted, limit: 2_000 }).toReversed())
}
