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
  if (!instructions) return mergePersons(rest).map(shape)
  if (role === 'user') return mergePersons([{ role, text: instructions }, ...rest]).map(shape)
  return [{ role, content: instructions }, ...mergePersons(rest).map(shape)]
}

/** A run that died before its answer leaves two messages of the person in a row. */
function mergePersons(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const merged: ModelMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      merged[merged.length - 1] = { ...last, text: `${last.text}\n\n${message.text}` }
    else if (message.role !== 'assistant' || message.text || message.calls.length > 0) merged.push(message)
  }
  return merged
}

function shapeMessage(message: ModelMessage, { reasoning: { field, back } }: Profile): unknown {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (message.role !== 'assistant') return { role: message.role, content: message.text }
  const { calls, thought } = message
  if (calls.length === 0) return { role: 'assistant', content: message.text, ...thought?.extra }
  // Who wants it back wants the field beside every call, also where nothing was thought or another model did.
  const name = back === 'echo' ? (field ?? thought?.field ?? null) : null
  const echoed = name === null ? {} : { [name]: thought?.reasoning ?? '' }
  return { role: 'assistant', content: message.text || null, tool_calls: calls.map(shapeCall), ...echoed, ...thought?.extra }
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
