import type { ModelMessage } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { readPast } from './context/index.ts'
import { placeBeat, playTurn } from './test-turn.ts'
import { keepThought, type Listener, thoughtBounds } from './thoughts.ts'

const signed = { extra_content: { google: { thought_signature: 'c2lnbmVk' } } }
const answers = [
  {
    reasoning: 'I have to look.',
    calls: [{ name: 'list_files', arguments: { path: '.' }, extra: signed }],
    vendor: { field: 'reasoning_content', extra: { reasoning_details: [{ signature: 'of-one' }] } },
  },
  { text: 'Done.' },
]
const self: Listener = { endpoint: 'script', modelId: 'scripted', reasoning: 'echo' }

const answersIn = (messages: readonly ModelMessage[] = []) => messages.filter((message) => message.role === 'assistant')

describe('a thought', () => {
  it.each(['echo', 'strip'] as const)(
    'stands alike in the turn and in the past read again, for a model that wants %s',
    async (back) => {
      await using turn = await playTurn({ answers, files: { 'a.txt': 'a' }, input: { context: { reasoningBack: back } } })
      const [live] = answersIn(turn.model.requests[1]?.messages)
      const [past] = answersIn(readPast(turn.beats, { ...self, reasoning: back }).history)
      expect(past).toEqual(live)
      expect(live).toMatchObject({
        calls: [{ name: 'list_files', extra: signed }],
        thought: { reasoning: back === 'echo' ? 'I have to look.' : '', extra: { reasoning_details: [{ signature: 'of-one' }] } },
      })
    },
  )

  it.each<[string, Partial<Listener>]>([
    ['another model', { modelId: 'other' }],
    ['another endpoint', { endpoint: 'elsewhere' }],
  ])('is not told to %s', async (_, other) => {
    await using turn = await playTurn({ answers, files: { 'a.txt': 'a' } })
    const { history } = readPast(turn.beats, { ...self, ...other })
    expect(JSON.stringify(history)).not.toMatch(/signature|have to look/)
    expect(answersIn(history)[0]).toMatchObject({ calls: [{ name: 'list_files' }] })
  })

  it('stays with its answer when everything before it becomes a summary', async () => {
    await using turn = await playTurn({ answers, files: { 'a.txt': 'a' } })
    const [first] = answersIn(readPast(turn.beats, self).history)
    const seq = turn.beats.length + 1
    const boundary = placeBeat({ kind: 'boundary', source: 'user', payload: { upTo: (first?.seq ?? 0) - 1 } }, seq)
    expect(answersIn(readPast([...turn.beats, boundary], self).history)[0]).toEqual(first)
  })

  it('of an answer that broke off is not kept', async () => {
    await using turn = await playTurn({
      answers: [{ reasoning: 'Hm.', text: 'Half', ends: 'waits' }],
      onEvent: (event, abort) => {
        if (event.type === 'text') abort()
      },
    })
    expect(turn.payloads('thought')).toEqual([])
    expect(turn.payloads('message')).toMatchObject([{ text: 'Half' }])
  })

  it.each([
    ['reasoning that is just not too long', thoughtBounds.reasoning, 10, [thoughtBounds.reasoning, true]],
    ['reasoning that is too long', thoughtBounds.reasoning + 1, 10, [0, true]],
    ['fields that are too long', 5, thoughtBounds.fields, [5, false]],
  ])('is kept whole or not at all: %s', (_, reasoning, fields, [kept, hasFields]) => {
    const heard = keepThought({
      step: 1,
      sentTo: { endpoint: 'script', modelId: 'scripted' },
      reasoning: 'r'.repeat(reasoning),
      vendor: { field: 'reasoning', extra: { reasoning_details: 'f'.repeat(fields) } },
      calls: [],
    })
    expect([heard?.reasoning.length, heard?.extra !== null]).toEqual([kept, hasFields])
  })
})
