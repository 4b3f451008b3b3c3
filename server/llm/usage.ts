/**
 * What an endpoint says a request took, in one form whoever speaks.
 *
 * Most vendors count what came from their cache as part of the prompt; some count it beside the prompt.
 * Here `inputTokens` is always the whole prompt and `cachedTokens` the part of it that was cached, so
 * that nothing is counted or billed twice.
 */
import type { Usage } from '@bridlewise/shared/wire'
import { isRecord } from './failures.ts'

/** No request of today comes near it; what lies above is a mistake of whoever counted. */
const believable = 1_000_000_000

/** Null for what is no usage, and for one that cannot be true: half a count would be billed as a small one. */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  if ('prompt_tokens' in value || 'completion_tokens' in value) return readPromptStyle(value)
  if ('input_tokens' in value || 'output_tokens' in value) return readInputStyle(value)
  return null
}

type Fields = Readonly<Record<string, unknown>>

function readPromptStyle(usage: Fields): Usage | null {
  const prompt = countIn(usage['prompt_tokens'])
  const written = countIn(usage['completion_tokens'])
  if (prompt === null || written === null) return null
  const output = written + thoughtApart(usage, prompt + written)
  const inside = partIn(fieldsIn(usage['prompt_tokens_details'])['cached_tokens'] ?? usage['prompt_cache_hit_tokens'])
  if (inside > 0) return settle(prompt, inside, output)
  // A gateway that passes the other style's fields on: the total says whether the prompt holds them.
  const cached = partIn(usage['cache_read_input_tokens'])
  const beside = cached + partIn(usage['cache_creation_input_tokens'])
  const apart = cached > prompt || (beside > 0 && partIn(usage['total_tokens']) === prompt + beside + output)
  return settle(apart ? prompt + beside : prompt, cached, output)
}

function readInputStyle(usage: Fields): Usage | null {
  const input = countIn(usage['input_tokens'])
  const output = countIn(usage['output_tokens'])
  if (input === null || output === null) return null
  const inside = partIn(fieldsIn(usage['input_tokens_details'])['cached_tokens'])
  if (inside > 0) return settle(input, inside, output)
  const cached = partIn(usage['cache_read_input_tokens'])
  return settle(input + cached + partIn(usage['cache_creation_input_tokens']), cached, output)
}

function settle(inputTokens: number, cached: number, outputTokens: number): Usage {
  return { inputTokens, outputTokens, cachedTokens: Math.min(cached, inputTokens) }
}

function fieldsIn(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

/** Some leave what was thought out of the completion and count it in the total only. */
function thoughtApart(usage: Fields, counted: number): number {
  const thought = partIn(fieldsIn(usage['completion_tokens_details'])['reasoning_tokens'])
  return thought > 0 && partIn(usage['total_tokens']) === counted + thought ? thought : 0
}

/** Absent is 0; null is what no count can be: negative, fractional, infinite, absurdly large, or no number. */
function countIn(value: unknown): number | null {
  if (value === undefined || value === null) return 0
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= believable ? (value as number) : null
}

function partIn(value: unknown): number {
  return countIn(value) ?? 0
}
