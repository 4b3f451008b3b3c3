/** What a probe sends: a few fixed words, and nothing of the person, of a project or of this machine. */
import type { ModelCall, Profile } from '@bridlewise/shared/wire'

/** Tokens of the longest answer that is asked for: of words, and of a call, before which some models think. */
const wordTokens = 32
const callTokens = 600

export const hello = { role: 'user', content: 'Reply with the single word: ready' }
const system = { role: 'system', content: 'Be brief.' }
const developer = { role: 'developer', content: 'Be brief.' }
const said = { role: 'assistant', content: 'ready' }

/** A request as the profile so far has it. */
export function ask(modelId: string, profile: Profile, more: object = {}, tokens = wordTokens): object {
  return {
    model: modelId,
    messages: [hello],
    ...(profile.outputLimit === 'none' ? {} : { [profile.outputLimit]: tokens }),
    stream: profile.streaming,
    ...more,
  }
}

export const usageOption = { stream_options: { include_usage: true } }
export const withSystem = { messages: [system, hello] }
export const withDeveloper = { messages: [developer, hello] }
export const withLaterSystem = { messages: [system, hello, said, system, hello] }
export const withTemperature = { temperature: 0 }
export const withJsonObject = {
  messages: [{ role: 'user', content: 'Reply with this JSON object: {"ready":true}' }],
  response_format: { type: 'json_object' },
}
export const withJsonSchema = {
  ...withJsonObject,
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'readiness',
      schema: {
        type: 'object',
        properties: { ready: { type: 'boolean' } },
        required: ['ready'],
        additionalProperties: false,
      },
    },
  },
}
/** One white pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=='
export const withImage = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: hello.content },
        { type: 'image_url', image_url: { url: pixel } },
      ],
    },
  ],
}
/** No endpoint can take it, so what comes back is an error. */
export const senseless = { messages: 'none' }

const gaugeName = 'read_gauge'
const gauge = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'Read the gauge of this name.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
})
const oneCall = { role: 'user', content: 'Call read_gauge for the gauge north. Say nothing else.' }

export const callFields = { tools: [gauge(gaugeName)], messages: [oneCall] }
export const parallelFields = {
  tools: [gauge(gaugeName)],
  messages: [{ role: 'user', content: 'Call read_gauge twice in one answer, for the gauges north and south. Say nothing else.' }],
}

/** A conversation after a call, with the reasoning that led to it or without. */
export function resultFields(call: ModelCall | undefined, reasoning: Readonly<Record<string, string>>): object {
  const { id, name, arguments: text } = call ?? { id: 'call_probe_1', name: gaugeName, arguments: '{"name":"north"}' }
  const made = { id, type: 'function', function: { name, arguments: text } }
  const messages = [
    oneCall,
    { role: 'assistant', content: null, tool_calls: [made], ...reasoning },
    { role: 'tool', tool_call_id: id, content: '17' },
  ]
  return { tools: [gauge(gaugeName)], messages }
}

/** A tool whose name is so long. */
export function namedFields(length: number): object {
  return { tools: [gauge(gaugeName.padEnd(length, '_x'))] }
}

export const longAnswer = { messages: [{ role: 'user', content: 'Count from one to two hundred in words.' }] }

export { callTokens }
