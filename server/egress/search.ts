/** "Was this ever sent?": answered from what is kept of what left, of one owner, without an index that could be read or guessed at. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Departure, EgressPart } from '@bridlewise/shared/wire'
import type { Departures, KeptDeparture, KeptPart, Owner } from '../storage/index.ts'

/** Exactly one of them. */
export type Question =
  /** Words as they left: redacted, not escaped. Found within one text, letter for letter. */
  | { readonly by: 'text'; readonly text: string }
  /** A path from a project's root, or a directory's. */
  | { readonly by: 'path'; readonly path: string }
  /** SHA-256 of a whole file, of one text as it left, or of a whole body, in hex. */
  | { readonly by: 'digest'; readonly digest: string }

export interface Found {
  /** The newest first. */
  readonly hits: readonly Hit[]
  readonly looked: { readonly texts: number; readonly bytes: number; readonly requests: number }
  /** True when there are more hits than are told. */
  readonly more: boolean
  /** Where to look on; null when everything was looked at. */
  readonly next: number | null
}

export interface Hit {
  readonly departure: Departure
  /** Of the request, by their places in it. Empty when it is the body that was meant. */
  readonly parts: readonly (EgressPart & { readonly place: number })[]
}

/** Of one look: what is read before it answers and says where to go on. In UTF-16 units. */
const lookLength = 64 * 1024 * 1024
const textsAtOnce = 20
const mostHits = 100

/**
 * Look for what was asked, the newest first.
 *
 * Contract: what it names was sent. What it does not name was not, as far as it looked: `next` says
 * whether that was everything. Gone are the texts of deleted chats, and what left before anything was kept.
 */
export async function findSent(
  departures: Pick<Departures, 'chats' | 'ofChat' | 'texts'>,
  { owner, question, before }: { readonly owner: Owner; readonly question: Question; readonly before: number | null },
  signal: AbortSignal,
): Promise<Found> {
  if (question.by === 'text') return findText(departures, { owner, text: question.text, before }, signal)
  const holds = question.by === 'path' ? holdsPath(question.path) : holdsDigest(question.digest)
  const hits = createHits()
  let requests = 0
  for (const chatId of departures.chats(owner)) {
    signal.throwIfAborted()
    const kept = departures.ofChat(owner, chatId)
    requests += kept.length
    const meant = (departure: KeptDeparture) => question.by === 'digest' && departure.egress.digest === question.digest
    for (const departure of kept.toReversed()) hits.add(departure, holds, meant(departure))
    await nextTurn()
  }
  return { ...hits.list(), looked: { texts: 0, bytes: 0, requests }, next: null }
}

async function findText(
  departures: Pick<Departures, 'ofChat' | 'texts'>,
  { owner, text, before }: { readonly owner: Owner; readonly text: string; readonly before: number | null },
  signal: AbortSignal,
): Promise<Found> {
  const names = new Map<string, Set<string>>()
  let mark = before ?? Number.MAX_SAFE_INTEGER
  let next: number | null = null
  let [texts, bytes] = [0, 0]
  for (;;) {
    signal.throwIfAborted()
    const page = departures.texts(owner, { before: mark, limit: textsAtOnce })
    for (const kept of page) {
      texts += 1
      bytes += Buffer.byteLength(kept.text)
      mark = kept.number
      if (!kept.text.includes(text)) continue
      names.set(kept.chatId, (names.get(kept.chatId) ?? new Set()).add(kept.name))
    }
    if (page.length < textsAtOnce) break
    next = bytes >= lookLength ? mark : null
    if (next !== null) break
    await nextTurn()
  }
  const hits = createHits()
  let requests = 0
  for (const [chatId, held] of names) {
    const kept = departures.ofChat(owner, chatId)
    requests += kept.length
    for (const departure of kept.toReversed()) hits.add(departure, ({ name }) => name !== null && held.has(name), false)
    await nextTurn()
  }
  return { ...hits.list(), looked: { texts, bytes, requests }, next }
}

function holdsPath(asked: string): (part: KeptPart) => boolean {
  const path = asked.replace(/^\.?\//, '').replace(/\/$/, '')
  return ({ files }) => files.some((file) => file.path === path || file.path.startsWith(`${path}/`))
}

function holdsDigest(digest: string): (part: KeptPart) => boolean {
  return (part) => part.digest === digest || part.files.some((file) => file.digest === digest)
}

function createHits() {
  const hits: Hit[] = []
  return {
    add({ held, ...departure }: KeptDeparture, holds: (part: KeptPart) => boolean, whole: boolean): void {
      const parts = held.flatMap(({ name, ...part }, place) => (holds({ ...part, name }) ? [{ ...part, place }] : []))
      if (parts.length > 0 || whole) hits.push({ departure, parts })
    },
    list() {
      const newest = hits.toSorted((a, b) => b.departure.at - a.departure.at)
      return { hits: newest.slice(0, mostHits), more: newest.length > mostHits }
    },
  }
}
