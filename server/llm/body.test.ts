import type { ModelMessage } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { writeBody } from './body.ts'

const bodyOf = (messages: readonly ModelMessage[], kind = 'openai') =>
  JSON.parse(writeBody({ runId: 'run', step: 1, modelId: 'm', messages, tools: [] }, kind))

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
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'edit', arguments: given }] },
    { role: 'tool', callId: 'c', text: 'done' },
  ])
  expect(messages).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'edit', arguments: sent } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ])
})

it('asks for usage, except where the question is an error', () => {
  expect(bodyOf([]).stream_options).toEqual({ include_usage: true })
  expect(bodyOf([], 'mistral').stream_options).toBeUndefined()
})
