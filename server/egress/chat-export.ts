/** A chat as a text to hand on: what was said, and under it what was done, from the ledger. */
import { createRedactor, findRetraction, findRetractions, type OwnRule } from '@bridlewise/engine'
import type { Chat } from '@bridlewise/shared'
import type { Beat } from '@bridlewise/shared/wire'
import type { Owner, Store } from '../storage/index.ts'

export interface ChatExport {
  /** Markdown. */
  readonly text: string
  /** Places where something was replaced. */
  readonly replaced: number
  /** Whether later entries are left out, because the text grew too long. */
  readonly cut: boolean
}

export interface ChatExportRequest {
  readonly chat: Chat
  readonly secrets: readonly string[]
  readonly rules: readonly OwnRule[]
  readonly salt: string
}

/** Characters of one text. A chat that says more is cut at an entry, and that is said. */
export const chatExportLimit = 4 * 1024 * 1024
const pageSize = 500

/**
 * Write a chat, oldest first.
 *
 * Contract: `secrets`, what `rules` name and what looks like a secret stand in none of it. Work of children
 * is told by the call that gave it to them. Pages of the ledger are read between turns of the event loop.
 */
export async function writeChat(
  store: Pick<Store, 'ledger' | 'rewinds'>,
  owner: Owner,
  { chat, secrets, rules, salt }: ChatExportRequest,
): Promise<ChatExport> {
  const redactor = createRedactor({ salt, literals: secrets, rules })
  const written: string[] = []
  let length = 0
  let replaced = 0
  const add = (text: string): boolean => {
    const clean = redactor.redact(text)
    if (length + clean.text.length > chatExportLimit) return false
    replaced += Object.values(clean.counts).reduce((sum, count) => sum + count, 0)
    length += clean.text.length
    written.push(clean.text)
    return true
  }
  add(`# ${oneLine(chat.title)}\n\n`)
  const retractions = findRetractions(store.rewinds.list(owner, chat.id))
  let after: string | undefined
  do {
    const { items, next } = store.ledger.list(owner, { chatId: chat.id, after, limit: pageSize })
    // A fork holds copies of what it began with.
    const entries = items.flatMap((beat) => (beat.kind === 'forked' ? (beat.payload.past as unknown as Beat[]) : [beat]))
    for (const beat of entries) {
      const text = tell(beat, findRetraction(retractions, beat.seq) !== null)
      if (text !== null && !add(text))
        return { text: `${written.join('')}\n[Later entries are left out.]\n`, replaced, cut: true }
    }
    after = next
    await new Promise((resolve) => setImmediate(resolve))
  } while (after !== undefined)
  return { text: written.join(''), replaced, cut: false }
}

function tell(beat: Beat, isTakenBack: boolean): string | null {
  if (beat.within !== undefined) return null
  const back = isTakenBack ? ' (taken back)' : ''
  switch (beat.kind) {
    case 'message':
      return `## ${beat.payload.role === 'user' ? 'You' : 'Model'}${back}, ${new Date(beat.at).toISOString()}\n\n${beat.payload.text}\n\n`
    case 'call':
      return `- ${oneLine(`${beat.payload.headline.verb} ${beat.payload.headline.object}`)}\n`
    case 'result':
      return `  ${beat.payload.status}: ${oneLine(beat.payload.summary)}\n\n`
    case 'blocked':
      return `- ${oneLine(`${beat.payload.headline.verb} ${beat.payload.headline.object}`)}\n  blocked: ${oneLine(beat.payload.refusal.message)}\n\n`
    case 'unknown':
      return '  outcome unknown\n\n'
    case 'finding':
      return `> ${oneLine(beat.payload.title)}. ${oneLine(beat.payload.text)}\n\n`
    case 'run_ended':
      return beat.payload.outcome.kind === 'completed' ? null : `*${beat.payload.outcome.kind}*\n\n`
    default:
      return null
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
