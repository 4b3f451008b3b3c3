/**
 * What an endpoint says a request took, in one form whoever speaks.
 *
 * Most vendors count what came from their cache as part of the prompt; some count it beside the prompt.
 * Here `inputTokens` is always the whole prompt and `cachedTokens` the part of it that was cached, so
 * that nothing is counted or billed twice.
 */
import type { Usage } from '@bridlewise/shared/wire'
import { isRecord } from './failures.ts'

/** Null for what is no usage. */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  if ('prompt_tokens' in value || 'completion_tokens' in value) return readPromptStyle(value)
  if ('input_tokens' in value || 'output_tokens' in value) return readInputStyle(value)
  return null
}

type Fields = Readonly<Record<string, unknown>>

function readPromptStyle(usage: Fields): Usage {
  const prompt = countIn(usage['prompt_tokens'])
  const output = countIn(usage['completion_tokens'])
  const inside = countIn(fieldsIn(usage['prompt_tokens_details'])['cached_tokens'] ?? usage['prompt_cache_hit_tokens'])
  if (inside > 0) return settle(prompt, inside, output)
  // A gateway that passes the other style's fields on: the total says whether the prompt holds them.
  const cached = countIn(usage['cache_read_input_tokens'])
  const beside = cached + countIn(usage['cache_creation_input_tokens'])
  const apart = cached > prompt || (beside > 0 && countIn(usage['total_tokens']) === prompt + beside + output)
  return settle(apart ? prompt + beside : prompt, cached, output)
}

function readInputStyle(usage: Fields): Usage {
  const input = countIn(usage['input_tokens'])
  const output = countIn(usage['output_tokens'])
  const inside = countIn(fieldsIn(usage['input_tokens_details'])['cached_tokens'])
  if (inside > 0) return settle(input, inside, output)
  const cached = countIn(usage['cache_read_input_tokens'])
  return settle(input + cached + countIn(usage['cache_creation_input_tokens']), cached, output)
}

function settle(inputTokens: number, cached: number, outputTokens: number): Usage {
  return { inputTokens, outputTokens, cachedTokens: Math.min(cached, inputTokens) }
}

function fieldsIn(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

/** Negative, fractional, infinite and absent counts are no counts. */
function countIn(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0
}
