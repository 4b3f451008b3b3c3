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

it.each<[string, unknown]>([
  ['inside the completion', { prompt_tokens: 9, completion_tokens: 50, total_tokens: 59 }],
  ['beside it', { prompt_tokens: 9, completion_tokens: 10, total_tokens: 59 }],
])('what was thought is written, whether it is counted %s', (_where, usage) => {
  expect(readUsage({ ...(usage as object), completion_tokens_details: { reasoning_tokens: 40 } })?.outputTokens).toBe(50)
})

it('no more is cached than was sent', () => {
  const usage = readUsage({ prompt_tokens: 5, completion_tokens: 1, prompt_cache_hit_tokens: 9 })
  expect(usage).toEqual({ inputTokens: 5, cachedTokens: 5, outputTokens: 1 })
})

it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, 1.5, 1e300, 2 ** 40, '7'])(
  'a count of %s makes the whole report unknown',
  (count) => {
    expect(readUsage({ prompt_tokens: count, completion_tokens: 3 })).toBeNull()
    expect(readUsage({ input_tokens: 3, output_tokens: count })).toBeNull()
  },
)

it('what counts nothing is no report', () => {
  expect(readUsage({ total_tokens: 5 })).toBeNull()
})
