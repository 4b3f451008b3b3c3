/** A new chat that begins with the past of another. Files are not touched, and the other chat stays as it is. */
import { standingBeats } from '@bridlewise/engine'
import type { Chat } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Beat } from '@bridlewise/shared/wire'
import type { Owner } from '../storage/index.ts'
import type { RewindParts } from './parts.ts'

export interface ForkRequest {
  readonly chatId: string
  /** The last message that comes along; all that stand unless said. */
  readonly upTo?: string | undefined
}

/** Characters of one entry's past, roughly: an entry is sealed and read as a whole. */
const pastPerEntry = 256 * 1024

/**
 * Fork a chat.
 *
 * Contract: the new chat holds its past itself, words and what a model reads of calls and results, so
 * deleting the other chat takes nothing from it. Its entries name the entry that they end with.
 * Refuses: thing_unknown.
 */
export function forkChat({ store, clock, ids }: RewindParts, owner: Owner, { chatId, upTo }: ForkRequest): Result<Chat> {
  return store.transaction(() => {
    const origin = store.chats.get(owner, chatId)
    if (!origin) return refuse('thing_unknown', { kind: 'chat' })
    const standing = standingBeats(readAll({ store }, owner, chatId))
    const end =
      upTo === undefined
        ? standing.length
        : 1 + standing.findIndex((beat) => beat.kind === 'message' && beat.payload.messageId === upTo)
    if (upTo !== undefined && end === 0) return refuse('thing_unknown', { kind: 'message' })
    const past = standing.slice(0, end).filter(isRead)
    const at = clock.now()
    const title = `Fork of ${origin.title}`.slice(0, 200).toWellFormed()
    const chat = store.chats.create(owner, {
      id: ids.next('chat'),
      title,
      titleFrom: 'given',
      projectId: origin.projectId,
      createdAt: at,
    })
    const names = new Map<string, string>()
    for (const beat of past) {
      if (beat.kind !== 'message' || beat.runId === null) continue
      const { messageId, role, text } = beat.payload
      const id = ids.next('message')
      names.set(messageId, id)
      store.messages.add(owner, { id, chatId: chat.id, runId: beat.runId, role, text, createdAt: beat.at })
    }
    const scope = { userId: owner.userId, runId: null, chatId: chat.id }
    const last = past.at(-1)
    if (!last) return ok(chat)
    for (const part of inParts(past.map((beat) => shorten(beat, names)))) {
      const payload = { from: { chatId, beatId: last.id }, past: part as unknown as Record<string, unknown>[] }
      store.ledger.write(scope, { kind: 'forked', payload, source: 'user', derivation: [last.id] })
    }
    return ok(chat)
  })
}

function readAll({ store }: Pick<RewindParts, 'store'>, owner: Owner, chatId: string): Beat[] {
  const beats: Beat[] = []
  for (let after: string | undefined; ; ) {
    const page = store.ledger.list(owner, { chatId, after, limit: 500 })
    beats.push(...page.items)
    if (page.next === undefined) return beats
    after = page.next
  }
}

/** What left for a model, what happened to files, and what children did, is of the other chat alone. */
function isRead({ kind, within }: Beat): boolean {
  if (within !== undefined) return false
  return kind !== 'request' && kind !== 'response' && kind !== 'effect' && kind !== 'rewind' && kind !== 'retention'
}

/** The details of a result are for the screen, which has the other chat's for it; a message has a name of its own here. */
function shorten(beat: Beat, names: ReadonlyMap<string, string>): Beat {
  if (beat.kind === 'result') return { ...beat, payload: { ...beat.payload, details: { kind: 'text', text: '' } } }
  if (beat.kind !== 'message' && beat.kind !== 'claims') return beat
  const { messageId } = beat.payload
  return { ...beat, payload: { ...beat.payload, messageId: names.get(messageId) ?? messageId } } as Beat
}

function* inParts(beats: readonly Beat[]): Generator<readonly Beat[]> {
  let part: Beat[] = []
  let size = 0
  for (const beat of beats) {
    part.push(beat)
    size += JSON.stringify(beat).length
    if (size < pastPerEntry) continue
    yield part
    part = []
    size = 0
  }
  if (part.length > 0) yield part
}
