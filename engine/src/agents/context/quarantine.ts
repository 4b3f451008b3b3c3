/** Placeholders in place of messages that an endpoint does not take. Nothing is deleted: the ledger holds them whole. */
import type { ItemPlace, ModelMessage } from '@bridlewise/shared/wire'
import { summarySeq } from './cut.ts'

export function keyOf({ seq, message }: ItemPlace): string {
  return `${seq}.${message}`
}

/** The place of each message, or null for one that can never be left out: it stands in no entry. */
export function placesOf(messages: readonly ModelMessage[]): (ItemPlace | null)[] {
  const counts = new Map<number, number>()
  return messages.map(({ role, seq }) => {
    if (role === 'system' || seq === undefined || seq === summarySeq) return null
    const message = counts.get(seq) ?? 0
    counts.set(seq, message + 1)
    return { seq, message }
  })
}

/** Contract: pairing, order and roles stay, so that what was valid stays valid. */
export function withPlaceholders(
  messages: readonly ModelMessage[],
  quarantined: { has(key: string): boolean },
): readonly ModelMessage[] {
  const places = placesOf(messages)
  return messages.map((message, at) => {
    const place = places[at]
    return place && quarantined.has(keyOf(place)) ? withoutContent(message) : message
  })
}

const placeholder = '[Left out: the endpoint did not take this message. The record holds it.]'

function withoutContent(message: ModelMessage): ModelMessage {
  const said = { text: placeholder, files: [], instructions: [] }
  if (message.role !== 'assistant') return { ...message, ...said }
  const { thought: _, ...rest } = message
  return { ...rest, ...said, calls: message.calls.map(({ id, name }) => ({ id, name, arguments: '{}' })) }
}
