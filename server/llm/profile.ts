/**
 * What is known about an endpoint and its model before anyone tried it: what their documentation says.
 *
 * A profile that was probed or imported takes its place whole. Whoever writes a request or reads an
 * answer asks the profile; nobody asks which vendor it is.
 */
import { type Profile, profileVersion } from '@bridlewise/shared/wire'
import { knownWindow } from './providers.ts'

/** What the protocol says, for endpoints of which nothing is known. */
const usual: Profile = {
  version: profileVersion,
  streaming: true,
  streamOptions: true,
  usage: 'asked',
  calls: 'parallel',
  callIndex: true,
  callName: 'first',
  toolNameLength: 64,
  instructions: 'system',
  laterSystem: false,
  json: 'object',
  images: false,
  reasoning: { field: null, back: 'strip' },
  contextWindow: null,
  outputLimit: 'max_tokens',
  temperatureFixed: false,
  cancel: true,
  errors: 'error.message',
}

type Known = Partial<Omit<Profile, 'version'>>

/** By kind of endpoint. Only what differs from `usual`. */
const kinds: Readonly<Record<string, Known>> = {
  openai: { json: 'schema', images: true, laterSystem: true, outputLimit: 'max_completion_tokens' },
  azure: { json: 'schema', images: true, laterSystem: true },
  // System messages are hoisted to the front; `response_format` is ignored.
  anthropic: { json: 'none', images: true, laterSystem: true },
  google: { json: 'schema', images: true, callIndex: false },
  deepseek: { reasoning: { field: 'reasoning_content', back: 'echo' } },
  // Both answer 4xx to `stream_options` and report usage without being asked.
  mistral: { streamOptions: false, usage: 'unasked', json: 'schema' },
  cohere: { streamOptions: false, usage: 'unasked', json: 'schema' },
  groq: { reasoning: { field: 'reasoning', back: 'strip' } },
  openrouter: { reasoning: { field: 'reasoning', back: 'strip' } },
  xai: { json: 'schema', images: true, reasoning: { field: 'reasoning_content', back: 'strip' } },
  ollama: { json: 'schema', calls: 'parallel', reasoning: { field: 'reasoning', back: 'strip' } },
  lmstudio: { json: 'schema', reasoning: { field: 'reasoning_content', back: 'strip' } },
  llamacpp: { json: 'schema', reasoning: { field: 'reasoning_content', back: 'strip' } },
  vllm: { json: 'schema', reasoning: { field: 'reasoning_content', back: 'strip' } },
}

/** The profile of a model that was not probed yet. */
export function startingProfile(kind: string, modelId: string): Profile {
  const window = knownWindow(modelId)
  return { ...usual, ...kinds[kind], contextWindow: window }
}
