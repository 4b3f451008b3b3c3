/** What is said twice is said once. */
import type { ModelMessage } from '@bridlewise/shared/wire'

/** Shorter results are not worth a pointer. In UTF-16 units. */
const worthReplacing = 400

const pointer = '[Left out: a later call gave the same result, which stands whole further down.]'

/** Contract: of identical long tool results the newest stays whole; pairing and order stay. */
export function leaveOutRepeats(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const newest = new Map<string, number>()
  let repeats = 0
  messages.forEach((message, at) => {
    if (message.role !== 'tool' || message.text.length < worthReplacing) return
    if (newest.has(message.text)) repeats += 1
    newest.set(message.text, at)
  })
  if (repeats === 0) return messages
  return messages.map((message, at) => {
    const last = message.role === 'tool' ? newest.get(message.text) : undefined
    return last === undefined || last === at ? message : { ...message, text: pointer, files: [], instructions: [] }
  })
}
