/**
 * The last look at a request's size before it leaves: what is said twice is said once, and what
 * cannot fit is refused instead of sent.
 */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelMessage, ModelRequest } from '@bridlewise/shared/wire'

/** Shorter results are not worth a pointer. In UTF-16 units. */
const worthReplacing = 400

const pointer = '[Left out: a later call gave the same result, which stands whole further down.]'

/**
 * Make a request as small as it can be without losing anything.
 *
 * Contract: of identical long tool results the newest stays whole; pairing and order stay.
 * `window` is what the model takes, in tokens, or null when nobody knows.
 * Refuses: context_irreducible.
 */
export function choke(request: ModelRequest, window: number | null): Result<ModelRequest> {
  const messages = withoutRepeats(request.messages)
  const smaller = { ...request, messages }
  const needed = estimateTokens(smaller)
  if (window !== null && needed > window) return refuse('context_irreducible', { needed, limit: window })
  return ok(smaller)
}

/** A rough count: four characters a token, and a few tokens for each message and tool. */
export function estimateTokens(request: Pick<ModelRequest, 'messages' | 'tools'>): number {
  const inMessages = request.messages.reduce((sum, message) => sum + lengthOf(message) / 4 + 4, 0)
  const inTools = request.tools.reduce((sum, tool) => sum + JSON.stringify(tool).length / 4 + 8, 0)
  return Math.ceil(inMessages + inTools)
}

function withoutRepeats(messages: readonly ModelMessage[]): readonly ModelMessage[] {
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
    return last === undefined || last === at ? message : { ...message, text: pointer }
  })
}

function lengthOf(message: ModelMessage): number {
  if (message.role !== 'assistant') return message.text.length
  return message.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, message.text.length)
}
