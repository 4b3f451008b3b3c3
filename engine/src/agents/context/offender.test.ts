import { makeRefusal, type RefusalCode } from '@bridlewise/shared/refusals'
import type { ModelMessage } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { findOffenders } from './offender.ts'
import { keyOf } from './quarantine.ts'
import { startReading } from './reading.ts'

const call = (id: string, name: string) => ({ id, name, arguments: '{}' })
const picture = 'data:image/png;base64,AAAA'
const messages: readonly ModelMessage[] = [
  { role: 'system', text: 's'.repeat(9_000) },
  { role: 'user', text: 'Look.', seq: 1 },
  { role: 'assistant', text: '', calls: [call('a', 'read_file'), call('b', 'run_command')], seq: 4 },
  { role: 'tool', callId: 'a', text: 'long '.repeat(1_000), seq: 5 },
  { role: 'tool', callId: 'b', text: `${picture} and a \u0007 bell`, seq: 7 },
  { role: 'assistant', text: 'Seen.', calls: [], seq: 9 },
  { role: 'user', text: 'again '.repeat(2_000), seq: 12 },
  { role: 'assistant', text: '', calls: [call('c', 'list_files')], seq: 14 },
  { role: 'tool', callId: 'c', text: 'notes.txt', seq: 15 },
]

function find(facts: Readonly<Record<string, unknown>>, code: RefusalCode = 'endpoint_refused', leftOut: readonly string[] = []) {
  const reading = startReading({ promptSeq: 12 })
  for (const key of leftOut) reading.quarantined.set(key, { seq: 0, message: 0, label: '' })
  const offenders = findOffenders(messages, makeRefusal(code, { status: 400, problem: 'it gave no reason', ...facts }), reading)
  return offenders && [offenders.found, ...offenders.items.map((item) => `${item.label} at ${keyOf(item)}`)].join(': ')
}

it.each([
  [{ named: [4], problem: "Invalid 'messages[4].content'" }, 'named: the result of run_command at 7.0'],
  [{ named: [4], problem: 'messages.4 is too long' }, 'named: the result of run_command at 7.0'],
  [{ named: [1, 6] }, 'named: an earlier message at 1.0'],
  [{ status: 413 }, 'largest: the result of read_file at 5.0'],
  [{ code: 'context_length_exceeded' }, 'largest: the result of read_file at 5.0'],
  [{ problem: "This model's maximum context length is 4096 tokens." }, 'largest: the result of read_file at 5.0'],
  [{ problem: 'Please reduce the length of the messages.' }, 'largest: the result of read_file at 5.0'],
  [{ problem: 'Could not process image' }, 'likely: the result of run_command at 7.0'],
  [{ problem: 'content is not valid unicode' }, 'likely: the result of run_command at 7.0'],
  [{ problem: 'invalid content' }, 'likely: the result of run_command at 7.0'],
])('finds what a refusal speaks of: %o', (facts, found) => {
  expect(find(facts)).toBe(found)
})

it.each([
  ['says nothing', {}],
  ['speaks of a parameter', { problem: 'Unknown parameter: max_context_length too long' }],
  ['speaks of the model', { code: 'model_not_found', problem: 'The model is too large a name' }],
  ['speaks of the length of the answer', { problem: 'max_tokens is too large: 100000' }],
  ['speaks of a tool', { problem: "Invalid 'tools[0].function.description': string too long" }],
  ['is one of policy', { code: 'content_filter', named: [4], problem: 'invalid content' }],
  ['is one of the account', { status: 413, code: 'rate_limit_exceeded', problem: 'Request too large' }],
  ['has another status', { status: 422, problem: 'too long' }],
  ['names the instructions', { named: [0] }],
  ['names the words that the turn was begun with', { named: [6] }],
])('finds nothing in a refusal that %s', (_case, facts) => {
  expect(find(facts)).toBe(null)
})

it('finds nothing where another code says what is wrong', () => {
  expect(find({ problem: 'too long' }, 'endpoint_failed')).toBe(null)
  expect(find({ problem: 'too long' }, 'endpoint_unauthorized')).toBe(null)
})

it('never leaves out what is left out already, nor what is too short to matter', () => {
  expect(find({ status: 413 }, 'endpoint_refused', ['5.0'])).toBe(null)
  expect(find({ problem: 'invalid content' }, 'endpoint_refused', ['7.0'])).toBe('likely: the result of list_files at 15.0')
})
