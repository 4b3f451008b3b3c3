/** A chat as a text to hand on: what was said, and under it what was done, from the ledger. */
import { createBoundedRedactor, findRetraction, findRetractions, type OwnRule } from '@bridlewise/engine'
import type { Chat } from '@bridlewise/shared'
import { ok, type Result } from '@bridlewise/shared/refusals'
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
const chatExportLimit = 4 * 1024 * 1024
const pageSize = 500

/**
 * Write a chat, oldest first.
 *
 * Contract: `secrets`, what `rules` name and what looks like a secret stand in none of it. Work of children
 * is told by the call that gave it to them. The event loop stays free, whatever the chat holds.
 * Refuses: redaction_failed; nothing is written then.
 */
export async function writeChat(
  store: Pick<Store, 'ledger' | 'rewinds'>,
  owner: Owner,
  { chat, secrets, rules, salt }: ChatExportRequest,
): Promise<Result<ChatExport>> {
  const redactor = createBoundedRedactor({ salt, literals: secrets, rules })
  const written: string[] = []
  let length = 0
  let replaced = 0
  try {
    for await (const text of tellChat(store, owner, chat)) {
      const clean = await redactor.redact(text)
      if (!clean.ok) return clean
      length += clean.value.text.length
      if (length > chatExportLimit) {
        return ok({ text: `${written.join('')}\n[Later entries are left out.]\n`, replaced, cut: true })
      }
      written.push(clean.value.text)
      replaced += Object.values(clean.value.counts).reduce((sum, count) => sum + count, 0)
    }
    return ok({ text: written.join(''), replaced, cut: false })
  } finally {
    await redactor.close()
  }
}

/** Title and entries, a page of the ledger at a time. */
async function* tellChat(
  store: Pick<Store, 'ledger' | 'rewinds'>,
  owner: Owner,
  { id: chatId, title }: Chat,
): AsyncGenerator<string, void> {
  yield `# ${oneLine(title)}\n\n`
  const retractions = findRetractions(store.rewinds.list(owner, chatId))
  let after: string | undefined
  do {
    const { items, next } = store.ledger.list(owner, { chatId, after, limit: pageSize })
    // A fork holds copies of what it began with.
    const entries = items.flatMap((beat) => (beat.kind === 'forked' ? (beat.payload.past as unknown as Beat[]) : [beat]))
    for (const beat of entries) {
      const text = tell(beat, findRetraction(retractions, beat.seq) !== null)
      if (text !== null) yield text
    }
    after = next
  } while (after !== undefined)
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
