import { makeRefusal } from '@bridlewise/shared/refusals'
import type { ModelMessage } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { writeBody } from './body.ts'
import { nameMessages } from './named-message.ts'
import { startingProfile } from './profile.ts'

const call = { id: 'a', name: 'read_file', arguments: '{}' }
const messages: readonly ModelMessage[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'First.' },
  { role: 'user', text: 'Second.' },
  { role: 'assistant', text: '', calls: [call] },
  { role: 'tool', callId: 'a', text: 'words' },
  { role: 'assistant', text: '', calls: [] },
  { role: 'user', text: 'Third.' },
]

function named(problem: string, instructions: 'system' | 'user' = 'system') {
  const profile = { ...startingProfile('custom', 'm'), instructions }
  const body = writeBody({ runId: 'run_1', step: 1, modelId: 'm', messages, tools: [] }, profile)
  return nameMessages(makeRefusal('endpoint_refused', { status: 400, problem }), { messages, body }).details?.['named']
}

it.each([
  ["Invalid 'messages[3].content': string too long", 'system', [4]],
  ["Invalid 'messages[2].content': string too long", 'user', [4]],
  ['messages.3.content.0.text: bad', 'system', [4]],
  ["[{'loc': ('body', 'messages', 2, 'content')}]", 'system', [3]],
  ["Invalid value for 'messages.[1].content'", 'system', [1, 2]],
  ['messages[0] is too long', 'system', [0]],
  ['messages[0] is too long', 'user', [0, 1, 2]],
  ['messages[4]', 'system', [6]],
] as const)('%s, with instructions as %s, means %j', (problem, instructions, places) => {
  expect(named(problem, instructions)).toEqual(places)
})

it.each(['it gave no reason', 'messages[99].content', 'messages[3].role is unknown', "messages with role 'tool' must follow"])(
  '%s means none of them',
  (problem) => {
    expect(named(problem)).toBe(undefined)
  },
)
