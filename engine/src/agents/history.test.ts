import { makeRefusal } from '@bridlewise/shared/refusals'
import type { BeatDraft, ModelMessage } from '@bridlewise/shared/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyFromBeats } from './history.ts'
import { createId, placeBeat, playTurn } from './test-turn.ts'

const headline = { verb: 'Do', object: 'it' }
const ids = Array.from({ length: 6 }, () => createId('call'))
const idOf = (at: number) => ids[at] ?? ''

const said = (role: 'user' | 'assistant', text: string): BeatDraft => ({
  kind: 'message',
  source: role === 'user' ? 'user' : 'model',
  payload: { messageId: createId('message'), role, text },
})
const called = (at: number, step: number, input: unknown = {}): BeatDraft => ({
  kind: 'call',
  source: 'model',
  payload: { callId: idOf(at), step, tool: 'probe', capability: 'read', headline, input },
})
const blocked = (at: number, step: number, input: unknown = {}): BeatDraft => ({
  kind: 'blocked',
  source: 'gate',
  payload: {
    callId: idOf(at),
    step,
    tool: 'ghost',
    headline,
    input,
    refusal: makeRefusal('tool_loop', { tool: 'ghost', times: 2 }),
  },
})
const resulted = (at: number, text = `result ${at}`): BeatDraft => ({
  kind: 'result',
  source: 'tool',
  payload: {
    callId: idOf(at),
    tool: 'probe',
    status: 'done',
    summary: '',
    text,
    details: { kind: 'text', text },
    ms: 0,
    refusal: null,
    spill: null,
  },
})

/** The history in a few words: who said what, with the places of the calls. */
function tell(drafts: readonly BeatDraft[]): string[] {
  return historyFromBeats(drafts.map(placeBeat)).map((message) => {
    if (message.role === 'tool') return `result of ${ids.indexOf(message.callId)}: ${message.text}`
    if (message.role === 'assistant') return `assistant ${message.text} [${message.calls.map(({ id }) => ids.indexOf(id))}]`
    return `${message.role} ${message.text}`
  })
}

describe('the history of a chat', () => {
  it.each<[string, BeatDraft[], string[]]>([
    ['nothing', [], []],
    ['words', [said('user', 'Hi'), said('assistant', 'Hello')], ['user Hi', 'assistant Hello []']],
    [
      'a call with words before it',
      [said('user', 'Go'), said('assistant', 'I look'), called(0, 1), resulted(0), said('assistant', 'Done')],
      ['user Go', 'assistant I look [0]', 'result of 0: result 0', 'assistant Done []'],
    ],
    [
      'two calls of one step and one of the next',
      [called(0, 1), resulted(0), called(1, 1), resulted(1), called(2, 2), resulted(2)],
      ['assistant  [0,1]', 'result of 0: result 0', 'result of 1: result 1', 'assistant  [2]', 'result of 2: result 2'],
    ],
    [
      'a call that was interrupted',
      [called(0, 1), said('user', 'What happened?')],
      [
        'assistant  [0]',
        'result of 0: The run was interrupted during this call. Whether it had effects is unknown.',
        'user What happened?',
      ],
    ],
    [
      'a result without its call',
      [said('user', 'Hi'), resulted(0), said('assistant', 'Hello')],
      ['user Hi', 'assistant Hello []'],
    ],
    [
      'a second result of one call',
      [called(0, 1), resulted(0, 'first'), resulted(0, 'second')],
      ['assistant  [0]', 'result of 0: first'],
    ],
  ])('from %s', (_case, drafts, expected) => {
    expect(tell(drafts)).toEqual(expected)
  })

  it('answers a blocked call with its refusal', () => {
    expect(tell([blocked(0, 1)])[1]).toContain('It was not run again.')
  })

  it('never replays arguments that are not an object', () => {
    const drafts = [blocked(0, 1, '{"cut'), blocked(1, 1, [1]), called(2, 1, { path: 'a' })]
    const [answer] = historyFromBeats(drafts.map(placeBeat))
    const args = answer?.role === 'assistant' ? answer.calls.map((call) => call.arguments) : []
    expect(args).toEqual(['{}', '{}', '{"path":"a"}'])
  })

  it('pairs every call with one result, whatever the ledger holds', () => {
    const draft = fc.oneof(
      fc.constantFrom(said('user', 'u'), said('assistant', 'a')),
      fc.tuple(fc.nat(5), fc.nat(2)).map(([at, step]) => called(at, step)),
      fc.tuple(fc.nat(5), fc.nat(2)).map(([at, step]) => blocked(at, step)),
      fc.nat(5).map((at) => resulted(at)),
    )
    // A ledger holds each call once: its ids are never used twice.
    const ledger = fc.uniqueArray(draft, {
      selector: (beat) => ('callId' in beat.payload && beat.kind !== 'result' ? beat.payload.callId : {}),
    })
    fc.assert(fc.property(ledger, (drafts) => findUnpaired(historyFromBeats(drafts.map(placeBeat))).length === 0))
  })

  it('is what the model was sent during the turn', async () => {
    await using turn = await playTurn({
      answers: [
        {
          text: 'Looking.',
          calls: [
            { name: 'list_files', arguments: {} },
            { name: 'ghost', arguments: '{"a":' },
          ],
        },
        { calls: [{ name: 'find_files', arguments: { pattern: '*' } }] },
        { text: 'Done.' },
      ],
    })
    const sent = turn.model.requests.at(-1)?.messages.slice(2)
    expect(historyFromBeats(turn.beats)).toEqual([
      ...(sent ?? []),
      { role: 'assistant', text: 'Done.', calls: [], seq: expect.any(Number) },
    ])
  })
})

/** Calls that are not followed at once by exactly their results, in order. */
function findUnpaired(messages: readonly ModelMessage[]): string[] {
  const problems: string[] = []
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.callId) problems.push(`stray result of ${message.callId}`)
    } else {
      problems.push(...open.map((id) => `no result of ${id}`))
      open = message.role === 'assistant' ? message.calls.map(({ id }) => id) : []
    }
  }
  return [...problems, ...open.map((id) => `no result of ${id}`)]
}
