/** Which of our messages an endpoint means when it names one by its place in the body. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { ModelMessage } from '@bridlewise/shared/wire'
import { isRecord } from './failures.ts'

export interface Sent {
  readonly messages: readonly ModelMessage[]
  /** What they were written as. */
  readonly body: string
}

/**
 * The same refusal, with the messages it names as their places in `messages`; several where they were sent as one.
 *
 * Contract: nothing is added where no message is named, nor where it is the place of a message that is wrong
 * and not what it says: a role, or a call without its result, is not mended by other words.
 */
export function nameMessages(refusal: Refusal, sent: Sent): Refusal {
  const problem = refusal.details?.['problem']
  const found = refusal.code === 'endpoint_refused' && typeof problem === 'string' ? place.exec(problem) : null
  if (!found?.[1] || structural.has(found[2] ?? '')) return refusal
  const named = findSources(sent, Number(found[1]))
  return named.length === 0 ? refusal : { ...refusal, details: { ...refusal.details, named } }
}

/** `messages[3]`, `messages.3.content`, `'messages', 3, 'content'`: counted from 0, as all of them do. */
const place = /\bmessages\W{1,4}(\d{1,5})\b(?:\W{1,4}(\w+))?/

const structural: ReadonlySet<string> = new Set(['role', 'name', 'type', 'tool_call_id'])

/** What a message of the body was made of. The body keeps the order, merges neighbours and leaves out what says nothing. */
function findSources({ messages, body }: Sent, index: number): readonly number[] {
  const { messages: written }: { readonly messages: readonly unknown[] } = JSON.parse(body)
  let at = 0
  for (const [count, one] of written.entries()) {
    const sources: number[] = []
    for (; at < messages.length; at += 1) {
      const message = messages[at]
      if (!message) break
      if (isRecord(one) && isPartOf(message, one)) sources.push(at)
      else if (message.role !== 'system' && !saysNothing(message)) break
    }
    if (count === index) return sources
  }
  return []
}

function isPartOf(message: ModelMessage, one: Readonly<Record<string, unknown>>): boolean {
  if (message.role === 'tool') return one['tool_call_id'] === message.callId
  const content = String(one['content'] ?? '')
  if (message.role === 'system') return one['role'] !== 'assistant' && content.includes(message.text)
  if (one['role'] !== message.role || !content.includes(message.text.trim())) return false
  if (message.role === 'user') return true
  const ids = (Array.isArray(one['tool_calls']) ? one['tool_calls'] : []).map((call) => isRecord(call) && call['id'])
  return message.calls.every(({ id }) => ids.includes(id))
}

function saysNothing(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.text.trim() === '' && message.calls.length === 0
}
