/** Well-known endpoints that speak the OpenAI-style protocol, and what is known about their models. */
import type { Preset } from '@bridlewise/shared'
import { isLoopback } from './address.ts'

const service = (kind: string, name: string, baseUrl: string, hint: string): Preset => ({
  kind,
  name,
  baseUrl,
  needsKey: true,
  local: false,
  hint,
})
const server = (kind: string, name: string, port: number, hint: string): Preset => ({
  kind,
  name,
  baseUrl: `http://127.0.0.1:${port}/v1`,
  needsKey: false,
  local: true,
  hint,
})

export const presets: readonly Preset[] = [
  service('openai', 'OpenAI', 'https://api.openai.com/v1', 'Create a key at platform.openai.com under API keys.'),
  service('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', 'Create a key at console.anthropic.com under API keys.'),
  service(
    'google',
    'Google Gemini',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    'Create a key at aistudio.google.com under API keys.',
  ),
  service('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'Create a key at platform.deepseek.com.'),
  service('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'Create a key at console.mistral.ai.'),
  service('cohere', 'Cohere', 'https://api.cohere.ai/compatibility/v1', 'Create a key at dashboard.cohere.com under API keys.'),
  service('groq', 'Groq', 'https://api.groq.com/openai/v1', 'Create a key at console.groq.com.'),
  service('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'Create a key at openrouter.ai under Keys.'),
  service('xai', 'xAI', 'https://api.x.ai/v1', 'Create a key at console.x.ai.'),
  service(
    'github',
    'GitHub Models',
    'https://models.github.ai/inference',
    'Create a fine-grained token at github.com/settings/tokens with the permission Models: read. It lists no models: name one, such as openai/gpt-4.1.',
  ),
  service(
    'azure',
    'Azure OpenAI',
    '',
    'https://NAME.openai.azure.com/openai/v1, or with a deployment …/openai/deployments/DEPLOYMENT?api-version=2024-10-21. The key stands in the portal under Keys and Endpoint.',
  ),
  server('ollama', 'Ollama', 11434, 'Start it with: ollama serve'),
  server('lmstudio', 'LM Studio', 1234, 'Turn the local server on in its Developer tab.'),
  server('llamacpp', 'llama.cpp', 8080, 'Start it with: llama-server -m model.gguf'),
  server('vllm', 'vLLM', 8000, 'Start it with: vllm serve and the model.'),
  {
    kind: 'custom',
    name: 'Another endpoint',
    baseUrl: '',
    needsKey: false,
    local: false,
    hint: 'Any address that answers chat/completions the OpenAI way; most end in /v1.',
  },
  {
    kind: 'demo',
    name: 'Recorded demo',
    baseUrl: '',
    needsKey: false,
    local: true,
    hint: 'No model: recorded words on the sample project, with real tools and real results.',
  },
]

export function needsKey(endpoint: { readonly kind: string; readonly baseUrl: string }): boolean {
  const preset = presets.find(({ kind }) => kind === endpoint.kind)
  return preset?.needsKey === true && !isLoopback(endpoint.baseUrl)
}

/** How a key is shown to an endpoint: as a bearer token, save where a gateway has a header of its own. */
export function keyHeader({ kind, apiKey }: { readonly kind: string; readonly apiKey: string | null }): Record<string, string> {
  if (apiKey === null) return {}
  return kind === 'azure' ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}

/** Context windows in tokens, by prefix of the model id. Only of models whose window will not change any more. */
const windows: readonly (readonly [string, number])[] = [
  ['gpt-3.5-turbo', 16_385],
  ['gpt-4-turbo', 128_000],
  ['gpt-4o', 128_000],
  ['claude-3-', 200_000],
  ['gemini-1.5-flash', 1_048_576],
]

/** Null when it is not known, which is the rule. */
export function knownWindow(modelId: string): number | null {
  return windows.find(([prefix]) => modelId.startsWith(prefix))?.[1] ?? null
}
