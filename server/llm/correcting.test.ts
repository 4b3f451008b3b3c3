import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { ModelEvent, ModelMessage, ModelRequest, Profile } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { correctProfile } from './correcting.ts'
import { correctionIn } from './correction.ts'
import { startingProfile } from './profile.ts'

const usual = startingProfile('custom', 'm')
const called: ModelMessage = { role: 'assistant', text: '', calls: [{ id: 'c', name: 'read', arguments: '{}' }] }
const request: ModelRequest = {
  runId: 'run',
  step: 1,
  modelId: 'm',
  messages: [{ role: 'system', text: 'Be brief.' }, { role: 'user', text: 'Hello' }, called],
  tools: [],
  maxOutputTokens: 30,
}
const refused = (problem: string, status = 400) => makeRefusal('endpoint_refused', { status, problem })
const echo: Partial<Profile> = { reasoning: { field: 'reasoning_content', back: 'echo' } }

describe('a refusal that names a parameter corrects one fact', () => {
  it.each<[string, Partial<Profile>, Partial<Profile>]>([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      {},
      { outputLimit: 'max_completion_tokens' },
    ],
    ['max_tokens: not known', {}, { outputLimit: 'none' }],
    [
      'max_completion_tokens: Extra inputs are not permitted',
      { outputLimit: 'max_completion_tokens' },
      { outputLimit: 'max_tokens' },
    ],
    ['stream_options: Extra inputs are not permitted', {}, { streamOptions: false, usage: 'none' }],
    ['stream: only false is taken', {}, { streaming: false, streamOptions: false }],
    ["'messages[0].role' does not support 'system' with this model", {}, { instructions: 'user' }],
    ['System role not supported', {}, { instructions: 'user' }],
    ['role system: not known, use developer', {}, { instructions: 'developer' }],
    [
      "'developer' is not one of ['system', 'assistant', 'user'] - 'messages.0.role'",
      { instructions: 'developer' },
      { instructions: 'system' },
    ],
    ['The reasoning_content in the thinking mode must be passed back.', {}, echo],
    ['Missing field messages.2.reasoning', {}, { reasoning: { field: 'reasoning', back: 'echo' } }],
    ['reasoning_content: must not be sent back', echo, { reasoning: { field: 'reasoning_content', back: 'strip' } }],
  ])('%s', (problem, spoken, changed) => {
    expect(correctionIn(refused(problem), request, { ...usual, ...spoken })?.changed).toEqual(changed)
    expect(correctionIn(refused(problem, 422), request, { ...usual, ...spoken })?.changed).toEqual(changed)
  })

  it.each<[string, Refusal]>([
    ['a value that is too large', refused('max_tokens is too large: 9000. At most 4096 are supported.')],
    ['the length', refused("This model's maximum context length is 8192 tokens, not supported: max_tokens")],
    ['the content', refused('stream_options: refused by content policy, not allowed')],
    ['another role', refused("Invalid role 'tool'; it must be one of system, user, assistant")],
    ['a parameter that was not sent', refused('max_completion_tokens: not known')],
    ['reasoning that was not sent', refused('reasoning_content: not known')],
    ['nothing', refused('it gave no reason')],
    ['something that is not there', refused('stream_options: not known', 404)],
    ['a key', makeRefusal('endpoint_unauthorized', { status: 401, problem: 'stream_options: not permitted' })],
    ['an account', makeRefusal('endpoint_quota_used_up', { status: 402, problem: 'stream_options: not permitted' })],
    ['a failure', makeRefusal('endpoint_failed', { status: 500, problem: 'stream_options: not permitted' })],
  ])('but not one that is about %s', (_about, refusal) => {
    expect(correctionIn(refusal, request, usual)).toBeNull()
  })
})

describe('a step', () => {
  async function ask(answer: readonly ModelEvent[]) {
    const profiles: Profile[] = []
    const learned: Partial<Profile>[] = []
    const model = correctProfile(
      { kind: 'custom', baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, onCorrected: ({ changed }) => learned.push(changed) },
      {
        profileOf: () => usual,
        modelFor: ({ profile = usual }) => ({
          fixture: false,
          async *stream() {
            profiles.push(profile)
            yield* answer
          },
        }),
      },
    )
    const codes: string[] = []
    for (let made = 0; made < 2; made += 1) {
      for await (const event of model.stream(request, new AbortController().signal)) {
        if (event.type === 'failed') codes.push(event.refusal.code)
      }
    }
    return { profiles, learned, codes }
  }
  const failed: ModelEvent = { type: 'failed', refusal: refused('stream_options: not known') }

  it('is corrected once, and written otherwise after that', async () => {
    const asked = await ask([failed])
    expect(asked.codes).toEqual(['endpoint_corrected', 'endpoint_refused'])
    expect(asked.profiles.map(({ streamOptions }) => streamOptions)).toEqual([true, false])
    expect(asked.learned).toEqual([{ streamOptions: false, usage: 'none' }])
  })

  it('of which a word had come is not corrected', async () => {
    const asked = await ask([{ type: 'text', text: 'Hel' }, failed])
    expect(asked).toMatchObject({ codes: ['endpoint_refused', 'endpoint_refused'], learned: [] })
  })
})
