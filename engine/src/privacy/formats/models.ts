/** Keys of model providers. */
import { alphanumeric, type Format, lowerHex, shaped, token, urlSafe } from '../format.ts'
import { isMixed } from '../guards.ts'
import { named } from './named.ts'

export const modelFormats: readonly Format[] = [
  token('openai_key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], { of: urlSafe, length: [40, 200] }),
  shaped({
    kind: 'openai_key',
    anchors: ['sk-'],
    shape: /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}(?![A-Za-z0-9])/,
  }),
  shaped({
    kind: 'anthropic_key',
    anchors: ['sk-ant-'],
    shape: /(?<![A-Za-z0-9])sk-ant-(?:api|admin|sid|oat)\d{2}-[A-Za-z0-9_-]{80,120}(?![A-Za-z0-9_-])/,
  }),
  token('openrouter_key', ['sk-or-v1-'], { of: lowerHex, length: 64 }),
  token('model_key', ['sk-'], { of: lowerHex, length: 32 }),
  token('model_key', ['sk-'], { of: alphanumeric, length: [40, 64], guard: isMixed }),
  token('huggingface_token', ['hf_'], { of: 'A-Za-z', length: 34 }),
  token('groq_key', ['gsk_'], { of: alphanumeric, length: 52 }),
  token('xai_key', ['xai-'], { of: alphanumeric, length: 80 }),
  token('perplexity_key', ['pplx-'], { of: alphanumeric, length: 48 }),
  token('replicate_token', ['r8_'], { of: alphanumeric, length: 37 }),
  named('cohere_key', ['cohere'], '[A-Za-z0-9]{40}'),
  named('mistral_key', ['mistral'], '[A-Za-z0-9]{32}'),
]
