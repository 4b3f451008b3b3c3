/**
 * Endpoints that differ in what they take and in how they answer, each with the profile that a probe has to find.
 * What they take is a rule about the body; what they answer follows from the last message, so that one script
 * serves a probe and the run after it.
 */
import type { Profile } from '@bridlewise/shared/wire'
import { answers, calls, finishes, type Part, type Received, type Script, type Step, says, streams, thinks } from './script.ts'

export interface Personality {
  readonly name: string
  readonly kind?: string
  /** What differs from `plain`, for the endpoint and for the profile alike. */
  readonly is: Partial<Profile>
  /** What the profile holds where it cannot hold what the endpoint is. */
  readonly found?: Partial<Profile>
  /** Answers with a document where events were asked for, in place of refusing to stream. */
  readonly wholeAnyway?: boolean
}

/** What everybody is unless said otherwise. */
const plain: Profile = {
  version: 1,
  streaming: true,
  streamOptions: true,
  usage: 'asked',
  calls: 'parallel',
  callIndex: true,
  callName: 'first',
  toolNameLength: 64,
  instructions: 'system',
  laterSystem: true,
  json: 'schema',
  images: false,
  reasoning: { field: null, back: 'strip' },
  contextWindow: null,
  outputLimit: 'max_tokens',
  temperatureFixed: false,
  cancel: true,
  errors: 'error.message',
}

export const personalities: readonly Personality[] = [
  { name: 'follows the protocol', is: {} },
  {
    name: 'thinks first and is particular',
    kind: 'openai',
    is: { outputLimit: 'max_completion_tokens', temperatureFixed: true, instructions: 'developer', laterSystem: false },
  },
  {
    name: 'refuses stream_options and reports usage unasked',
    kind: 'mistral',
    is: { streamOptions: false, usage: 'unasked', contextWindow: 131_072 },
  },
  { name: 'reports no usage at all', is: { usage: 'none', errors: 'detail' } },
  { name: 'wants one system message in front', is: { laterSystem: false, json: 'object' } },
  { name: 'knows no instructions', is: { instructions: 'user', laterSystem: false, calls: 'single', json: 'none' } },
  { name: 'takes no tools', is: { calls: 'none', errors: 'message' }, found: { toolNameLength: 64 } },
  { name: 'calls without an index', kind: 'google', is: { callIndex: false, images: true } },
  { name: 'names its calls late', is: { callName: 'late' } },
  {
    name: 'makes one call at a time',
    kind: 'ollama',
    is: { calls: 'single', contextWindow: 8_192 },
    found: { reasoning: { field: 'reasoning', back: 'strip' } },
  },
  { name: 'wants its reasoning back', kind: 'deepseek', is: { reasoning: { field: 'reasoning_content', back: 'echo' } } },
  { name: 'wants no reasoning back', kind: 'openrouter', is: { reasoning: { field: 'reasoning', back: 'strip' } } },
  { name: 'does not stream', is: { streaming: false, streamOptions: false, usage: 'unasked' }, found: { cancel: true } },
  {
    name: 'answers in one piece whatever is asked',
    is: { streaming: false, streamOptions: false, usage: 'unasked', errors: 'text' },
    wholeAnyway: true,
  },
  { name: 'takes short names and no limit', is: { toolNameLength: 40, outputLimit: 'none', images: true } },
]

/** The whole profile that a probe has to come to. */
export function profileOf({ is, found }: Personality): Profile {
  return { ...plain, ...is, ...found }
}

export function scriptOf({ is, wholeAnyway = false }: Personality): Script {
  const self = { ...plain, ...is }
  const listed = { data: [{ id: 'scripted', ...(self.contextWindow === null ? {} : { context_length: self.contextWindow }) }] }
  return {
    models: answers(200, listed).answer,
    steps: ({ body }) => {
      const problem = problemWith(body ?? {}, self, wholeAnyway)
      return problem ? errorStep(problem, self) : answerTo(body ?? {}, self)
    },
  }
}

type Body = NonNullable<Received['body']>

function problemWith(body: Body, self: Profile, wholeAnyway: boolean): string | null {
  const { messages, tools = [], stream } = body
  if (!Array.isArray(messages)) return 'messages: a list is wanted'
  const roles = messages.map(({ role }) => role)
  const names = tools.map((tool) => tool.function.name)
  const format = body['response_format'] as { readonly type?: string } | undefined
  if (stream && !self.streaming && !wholeAnyway) return 'stream: only false is taken'
  if (body['stream_options'] !== undefined && !self.streamOptions && !wholeAnyway) return 'stream_options: not known'
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    if (body[name] !== undefined && self.outputLimit !== name) return `${name}: not known`
  }
  if (body['temperature'] !== undefined && self.temperatureFixed) return 'temperature: only 1 is taken'
  for (const role of ['system', 'developer']) {
    if (roles.includes(role) && role !== self.instructions) return `role ${role}: not known`
  }
  if (roles.lastIndexOf('system') > 0 && !self.laterSystem) return 'a system message has to be the first'
  if (tools.length > 0 && self.calls === 'none') return 'tools: not known'
  if (names.some((name) => name.length > self.toolNameLength)) return 'a name is too long'
  if (format && (self.json === 'none' || (format.type === 'json_schema' && self.json === 'object')))
    return 'response_format: not known'
  if (!self.images && messages.some(({ content }) => Array.isArray(content))) return 'content: only text is taken'
  return reasoningProblem(messages, self.reasoning)
}

function reasoningProblem(messages: NonNullable<Body['messages']>, { field, back }: Profile['reasoning']): string | null {
  if (field === null) return null
  const sent = messages.filter((message) => message.tool_calls).map((message) => field in message)
  if (back === 'echo' && sent.includes(false)) return `${field}: has to be sent back`
  return back === 'strip' && sent.includes(true) ? `${field}: must not be sent back` : null
}

function errorStep(message: string, { errors }: Profile): Step {
  if (errors === 'text') return answers(400, message)
  if (errors === 'error.message') return answers(400, { error: { message, type: 'invalid_request_error' } })
  return answers(400, { [errors]: message })
}

interface Wanted {
  readonly name: string
  readonly input: unknown
}

/** A probe's questions are answered as they ask to be; a run gets one call of each tool and a last word. */
function wantedOf({ messages = [], tools = [] }: Body, { calls: how }: Profile): readonly Wanted[] {
  const offered = new Set(tools.map((tool) => tool.function.name))
  const last = JSON.stringify(messages.at(-1)?.content ?? '')
  if (offered.has('read_gauge')) {
    const north = { name: 'read_gauge', input: { name: 'north' } }
    if (last.includes('twice') && how === 'parallel') return [north, { name: 'read_gauge', input: { name: 'south' } }]
    return last.includes('Call read_gauge') ? [north] : []
  }
  const made = messages.filter((message) => message.tool_calls).length
  if (offered.has('read_file') && made === 0) return [{ name: 'read_file', input: { path: 'notes.txt' } }]
  if (offered.has('list_files') && made === 1) return [{ name: 'list_files', input: { path: '.' } }]
  return []
}

function answerTo(body: Body, self: Profile): Step {
  const wanted = wantedOf(body, self)
  const usage = { prompt_tokens: 20, completion_tokens: 5 }
  const reason = wanted.length > 0 ? 'tool_calls' : 'stop'
  if (!self.streaming) {
    const made = wanted.map(({ name, input }, at) => ({
      id: `c${at}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }))
    const message = {
      role: 'assistant',
      content: wanted.length > 0 ? null : 'Hello.',
      ...(made.length > 0 ? { tool_calls: made } : {}),
    }
    return answers(200, { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage })
  }
  const parts: Part[] = []
  if (self.reasoning.field) parts.push(thinks(['Let me ', 'see.'], self.reasoning.field))
  wanted.forEach((call, at) => void parts.push(...callParts(call, at, self)))
  if (wanted.length === 0) parts.push(says('Hel', 'lo.'))
  parts.push(finishes(reason))
  const reported = self.usage === 'unasked' || (self.usage === 'asked' && body['stream_options'] !== undefined)
  if (reported) parts.push({ type: 'usage', usage, choices: 'empty' })
  return streams(parts)
}

function callParts({ name, input }: Wanted, at: number, { callIndex, callName }: Profile): readonly Part[] {
  const index = callIndex ? at : null
  if (callName === 'first') return [calls(name, input, { index, id: `c${at}` })]
  const fragment = (fields: object, id?: string): Part => ({
    type: 'delta',
    delta: { tool_calls: [{ ...(index === null ? {} : { index }), ...(id ? { id, type: 'function' } : {}), function: fields }] },
  })
  return [fragment({ arguments: '' }, `c${at}`), fragment({ name }), fragment({ arguments: JSON.stringify(input) })]
}
