import { expect, it } from 'vitest'
import { readUsage } from './usage.ts'

/** One turn: a prompt of 1,000 tokens, 800 of them from the cache, and 50 tokens of answer. */
const turn = { inputTokens: 1000, cachedTokens: 800, outputTokens: 50 }
const answered = { completion_tokens: 50 }

it.each<[string, unknown]>([
  ['counts the cached part in the prompt', { ...answered, prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 800 } }],
  [
    'names cache hits and misses',
    { ...answered, prompt_tokens: 1000, prompt_cache_hit_tokens: 800, prompt_cache_miss_tokens: 200 },
  ],
  ['counts the cached part beside the input', { input_tokens: 200, output_tokens: 50, cache_read_input_tokens: 800 }],
  [
    'counts what it wrote to the cache beside the input too',
    { input_tokens: 150, output_tokens: 50, cache_read_input_tokens: 800, cache_creation_input_tokens: 50 },
  ],
  ['counts it in the input', { input_tokens: 1000, output_tokens: 50, input_tokens_details: { cached_tokens: 800 } }],
  [
    'passes both styles on, cached part inside',
    { ...answered, prompt_tokens: 1000, cache_read_input_tokens: 800, total_tokens: 1050 },
  ],
  [
    'passes both styles on, cached part beside',
    { ...answered, prompt_tokens: 200, cache_read_input_tokens: 800, total_tokens: 1050 },
  ],
])('the same turn comes to the same figure when the endpoint %s', (_what, usage) => {
  expect(readUsage(usage)).toEqual(turn)
})

it('no more is cached than was sent, and counts that are none are 0', () => {
  expect(readUsage({ prompt_tokens: 5, completion_tokens: -1, prompt_cache_hit_tokens: 9 })).toEqual({
    inputTokens: 5,
    cachedTokens: 5,
    outputTokens: 0,
  })
  expect(readUsage({ prompt_tokens: 1e300, completion_tokens: 1.5 })).toEqual({
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
  })
  expect(readUsage({ total_tokens: 5 })).toBeNull()
})
