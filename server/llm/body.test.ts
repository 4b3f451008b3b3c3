import type { ModelMessage, ModelRequest, Profile } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { writeBody } from './body.ts'
import { startingProfile } from './profile.ts'

const bodyOf = (messages: readonly ModelMessage[], profile: Partial<Profile> = {}, more: Partial<ModelRequest> = {}) =>
  JSON.parse(
    writeBody(
      { runId: 'run', step: 1, modelId: 'm', messages, tools: [], ...more },
      { ...startingProfile('custom', 'm'), ...profile },
    ),
  )

it('has one system message in front', () => {
  const { messages } = bodyOf([
    { role: 'system', text: 'One.' },
    { role: 'user', text: 'Hello' },
    { role: 'system', text: 'Two.' },
  ])
  expect(messages).toEqual([
    { role: 'system', content: 'One.\n\nTwo.' },
    { role: 'user', content: 'Hello' },
  ])
})

it('has no two messages of a person side by side, and no empty answer', () => {
  const { messages } = bodyOf([
    { role: 'user', text: 'First' },
    { role: 'assistant', text: '', calls: [] },
    { role: 'user', text: 'Second' },
  ])
  expect(messages).toEqual([{ role: 'user', content: 'First\n\nSecond' }])
})

it.each([
  ['{"path":"a.ts"}', '{"path":"a.ts"}'],
  ['{"path":"a.t', '{}'],
  ['', '{}'],
])('replays the arguments %s as %s', (given, sent) => {
  const { messages } = bodyOf([
    { role: 'user', text: 'Go' },
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'edit', arguments: given }] },
    { role: 'tool', callId: 'c', text: 'done' },
  ])
  expect(messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'edit', arguments: sent } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ])
})

const hello: readonly ModelMessage[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Hello' },
]
const absent = { stream_options: undefined, tools: undefined, max_tokens: undefined, max_completion_tokens: undefined }
const tools = [{ name: 'look', description: 'Look.', parameters: {} }]

it.each<[string, Partial<Profile>, unknown]>([
  ['asks for usage', {}, { stream: true, stream_options: { include_usage: true } }],
  ['asks for no usage where the question is an error', { streamOptions: false }, { stream: true, stream_options: undefined }],
  ['asks for one piece', { streaming: false }, { stream: false, stream_options: undefined }],
  ['offers tools', {}, { tools: [{ type: 'function' }] }],
  ['offers no tool to a model that takes none', { calls: 'none' }, { tools: undefined }],
  ['limits the answer', {}, { max_tokens: 16, max_completion_tokens: undefined }],
  ['limits it by its other name', { outputLimit: 'max_completion_tokens' }, { max_tokens: undefined, max_completion_tokens: 16 }],
  ['limits nothing that has no limit', { outputLimit: 'none' }, { max_tokens: undefined, max_completion_tokens: undefined }],
  ['has instructions of the system', {}, { messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] }],
  ['has those of a developer', { instructions: 'developer' }, { messages: [{ role: 'developer' }, { role: 'user' }] }],
  ['has those in the first words', { instructions: 'user' }, { messages: [{ role: 'user', content: 'Be brief.\n\nHello' }] }],
])('%s as the profile says', (_, profile, expected) => {
  const body = bodyOf(hello, profile, { tools, maxOutputTokens: 16 })
  expect({ ...absent, ...body }).toMatchObject(expected as object)
})

it('starts from what the documentation of a vendor says', () => {
  expect(startingProfile('mistral', 'm')).toMatchObject({ streamOptions: false, usage: 'unasked' })
  expect(startingProfile('openai', 'gpt-4o-mini')).toMatchObject({ outputLimit: 'max_completion_tokens', contextWindow: 128_000 })
  expect(startingProfile('unheard-of', 'm')).toEqual(startingProfile('custom', 'm'))
})
