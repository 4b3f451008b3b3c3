/**
 * The body of a chat completion request, in the shape that the strictest servers take: one system
 * message in front, no two messages of a person side by side, arguments that are JSON.
 */
import type { ModelCall, ModelMessage, ModelRequest, Profile, ToolSchema } from '@bridlewise/shared/wire'

/** The body as it is sent, and hashed: nothing may serialise it a second time. */
export function writeBody(request: ModelRequest, profile: Profile): string {
  const { outputLimit, streaming } = profile
  return JSON.stringify({
    model: request.modelId,
    // In front, so that requests of one run begin alike: what is new in one stands at its end.
    ...(request.tools.length > 0 && profile.calls !== 'none' ? { tools: request.tools.map(shapeTool) } : {}),
    messages: shapeMessages(request.messages, profile),
    ...(request.maxOutputTokens && outputLimit !== 'none' ? { [outputLimit]: request.maxOutputTokens } : {}),
    stream: streaming,
    ...(streaming && profile.streamOptions ? { stream_options: { include_usage: true } } : {}),
  })
}

function shapeMessages(messages: readonly ModelMessage[], profile: Profile): readonly unknown[] {
  const { instructions: role } = profile
  const shape = (message: ModelMessage) => shapeMessage(message, profile)
  const instructions = messages
    .filter((message) => message.role === 'system')
    .map(({ text }) => text)
    .join('\n\n')
  const rest = messages.filter((message) => message.role !== 'system')
  if (!instructions) return alternate(rest).map(shape)
  if (role === 'user') return alternate([{ role, text: instructions }, ...rest]).map(shape)
  return [{ role, content: instructions }, ...alternate(rest).map(shape)]
}

/** What the first words are where the person's own were taken out of the context. */
const leftOut = '[What came before is left out.]'
/** What stands for words that are none: many endpoints take no empty message. */
const nothing = '[Nothing.]'

/**
 * A person and a model in turns, the person first, each with something to say.
 *
 * A run that died before its answer leaves two messages of the person in a row; one that was continued, or
 * whose middle was taken back, two of the model.
 */
function alternate(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const turns: ModelMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant' && isBlank(message.text) && message.calls.length === 0) continue
    const last = turns.at(-1)
    if (message.role === 'assistant' && last === undefined) turns.push({ role: 'user', text: leftOut })
    const merged = last ? join(last, message) : null
    if (merged) turns[turns.length - 1] = merged
    else turns.push(message)
  }
  return turns
}

/** Two messages as one, or null where each stands by itself. */
function join(one: ModelMessage, next: ModelMessage): ModelMessage | null {
  if (one.role === 'user' && next.role === 'user') return { ...one, text: joinTexts(one.text, next.text) }
  if (one.role !== 'assistant' || next.role !== 'assistant' || one.calls.length > 0) return null
  // What was signed were the words of one answer.
  const { thought: _, ...rest } = next
  const calls = next.calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }))
  return { ...rest, text: joinTexts(one.text, next.text), calls }
}

function joinTexts(one: string, next: string): string {
  return [one, next].filter((text) => !isBlank(text)).join('\n\n')
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function shapeMessage(message: ModelMessage, { reasoning: { field, back } }: Profile): unknown {
  const text = isBlank(message.text) ? nothing : message.text
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: text }
  if (message.role !== 'assistant') return { role: message.role, content: text }
  const { calls, thought } = message
  if (calls.length === 0) return { role: 'assistant', content: message.text, ...thought?.extra }
  // Who wants it back wants the field beside every call, also where nothing was thought or another model did.
  const name = back === 'echo' ? (field ?? thought?.field ?? null) : null
  const echoed = name === null ? {} : { [name]: thought?.reasoning ?? '' }
  const content = isBlank(message.text) ? null : message.text
  return { role: 'assistant', content, tool_calls: calls.map(shapeCall), ...echoed, ...thought?.extra }
}

/** Arguments that were cut or broken would poison every later request; the result beside them says what was wrong. */
function shapeCall(call: ModelCall): unknown {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: isJson(call.arguments) ? call.arguments : '{}' },
    ...call.extra,
  }
}

function shapeTool(tool: ToolSchema): unknown {
  return { type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.parameters } }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
