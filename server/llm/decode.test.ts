import type { ModelEvent } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { createDecoder } from './decode.ts'

const chunk = (delta: unknown, more: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null }], ...more })
const stop = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const call = (fragment: object) => chunk({ tool_calls: [fragment] })

function decode(chunks: readonly unknown[], limits = { answerLength: 10_000, calls: 4 }): ModelEvent[] {
  let made = 0
  const decoder = createDecoder(limits, () => `made_${++made}`)
  const events: ModelEvent[] = []
  for (const one of chunks) {
    const { events: more, refusal } = decoder.accept(one)
    events.push(...more)
    if (refusal) return [...events, { type: 'failed', refusal }]
  }
  return [...events, ...decoder.end()]
}

const callsIn = (events: readonly ModelEvent[]) => events.filter((event) => event.type === 'call_end').map((event) => event.call)

describe('content', () => {
  const plain = decode([chunk({ content: 'Hel' }), chunk({ content: 'lo' }), stop('stop')])

  it.each([
    [
      'with empty, null and absent content between',
      [{ content: '' }, { content: 'Hel' }, { content: null }, {}, { content: 'lo' }],
    ],
    ['as a list of parts', [{ content: [{ type: 'text', text: 'Hel' }] }, { content: [{ type: 'text', text: 'lo' }] }]],
    ['with a role in front', [{ role: 'assistant', content: 'Hel' }, { content: 'lo' }]],
  ])('is the same %s', (_how, deltas) => {
    expect(decode([...deltas.map((delta) => chunk(delta)), stop('stop')])).toEqual(plain)
  })

  it('keeps reasoning apart, under either name', () => {
    const events = decode([chunk({ reasoning_content: 'a' }), chunk({ reasoning: 'b' }), stop('stop')])
    expect(events.filter(({ type }) => type === 'reasoning')).toEqual([
      { type: 'reasoning', text: 'a' },
      { type: 'reasoning', text: 'b' },
    ])
  })

  it('ignores other choices and fields it does not know', () => {
    const other = { choices: [{ index: 1, delta: { content: 'no' } }], x_vendor: { any: 1 } }
    expect(decode([other, chunk({ content: 'Hel', surprise: [] }), chunk({ content: 'lo' }), stop('stop')])).toEqual(plain)
  })
})

describe('usage', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } }
  const reported = { type: 'usage', usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2 } }

  it.each([
    ['at the end with empty choices', [chunk({ content: 'a' }), stop('stop'), { choices: [], usage }]],
    ['at the end without choices', [chunk({ content: 'a' }), stop('stop'), { usage }]],
    ['early', [chunk({}, { usage }), chunk({ content: 'a' }), stop('stop')]],
    [
      'on every chunk, growing',
      [chunk({ content: 'a' }, { usage: { ...usage, completion_tokens: 1 } }), chunk({}, { usage }), stop('stop')],
    ],
    ['with a null one after it', [chunk({ content: 'a' }, { usage }), { ...stop('stop'), usage: null }]],
  ])('counts once when it comes %s', (_when, chunks) => {
    expect(decode(chunks).filter(({ type }) => type === 'usage')).toEqual([reported])
  })

  it('may be missing', () => {
    expect(decode([chunk({ content: 'a' }), stop('stop')]).some(({ type }) => type === 'usage')).toBe(false)
  })

  it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, 1.5, 1e15, '7'])('does not believe a count of %s', (count) => {
    const events = decode([chunk({ content: 'a' }), { usage: { prompt_tokens: count, completion_tokens: 3 } }, stop('stop')])
    expect(events.some(({ type }) => type === 'usage')).toBe(false)
  })
})

describe('a call', () => {
  it.each([
    [
      'in fragments',
      [
        call({ index: 0, id: 'a', function: { name: 'read', arguments: '' } }),
        call({ index: 0, function: { arguments: '{"p":' } }),
        call({ index: 0, function: { arguments: '1}' } }),
      ],
    ],
    ['whole', [call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"p":1}' } })]],
    ['with arguments as an object', [call({ index: 0, id: 'a', function: { name: 'read', arguments: { p: 1 } } })]],
    [
      'with id and name repeated',
      [
        call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"p":' } }),
        call({ index: 0, id: 'a', function: { name: 'read', arguments: '1}' } }),
      ],
    ],
    [
      'with its name in pieces',
      [
        call({ index: 0, id: 'a', function: { name: 're' } }),
        call({ index: 0, function: { name: 'ad' } }),
        call({ index: 0, function: { arguments: '{"p":1}' } }),
      ],
    ],
    [
      'with null where nothing is meant',
      [
        call({ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: null } }),
        call({ index: 0, id: null, function: { name: null, arguments: '{"p":1}' } }),
      ],
    ],
    [
      'without an index',
      [call({ id: 'a', function: { name: 'read', arguments: '{"p":' } }), call({ function: { arguments: '1}' } })],
    ],
  ])('is put together %s', (_how, chunks) => {
    const events = decode([...chunks, stop('tool_calls')])
    expect(callsIn(events)).toEqual([{ id: 'a', name: 'read', arguments: '{"p":1}' }])
    expect(events.filter(({ type }) => type === 'call_start')).toEqual([{ type: 'call_start', callId: 'a', name: 'read' }])
    expect(events.at(-1)).toEqual({ type: 'end', finish: 'calls' })
  })

  const two = [
    { id: 'a', name: 'read', arguments: '{"p":1}' },
    { id: 'b', name: 'read', arguments: '{"p":2}' },
  ]
  it.each([
    [
      'interleaved by index',
      [
        call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"p"' } }),
        call({ index: 1, id: 'b', function: { name: 'read', arguments: '{"p"' } }),
        call({ index: 0, function: { arguments: ':1}' } }),
        call({ index: 1, function: { arguments: ':2}' } }),
      ],
    ],
    [
      'one after the other without an index',
      [
        call({ id: 'a', function: { name: 'read', arguments: '{"p"' } }),
        call({ function: { arguments: ':1}' } }),
        call({ id: 'b', function: { name: 'read', arguments: '{"p"' } }),
        call({ function: { arguments: ':2}' } }),
      ],
    ],
    [
      'all under index 0',
      [
        call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"p":1}' } }),
        call({ index: 0, id: 'b', function: { name: 'read', arguments: '{"p":2}' } }),
      ],
    ],
    [
      'under far indexes',
      [
        call({ index: 7, id: 'a', function: { name: 'read', arguments: '{"p":1}' } }),
        call({ index: 4_000_000_000, id: 'b', function: { name: 'read', arguments: '{"p":2}' } }),
      ],
    ],
  ])('keeps apart from another %s', (_how, chunks) => {
    expect(callsIn(decode([...chunks, stop('tool_calls')]))).toEqual(two)
  })

  it('gets an id of ours when it has none, or one that is taken', () => {
    const events = decode([
      call({ function: { name: 'read', arguments: '{}' } }),
      call({ function: { name: 'list', arguments: '{}' } }),
      stop('stop'),
    ])
    expect(callsIn(events)).toEqual([
      { id: 'made_1', name: 'read', arguments: '{}' },
      { id: 'made_2', name: 'list', arguments: '{}' },
    ])
  })

  it('is not repaired when it was cut', () => {
    const events = decode([call({ index: 0, id: 'a', function: { name: 'edit', arguments: '{"text":"half' } }), stop('length')])
    expect(callsIn(events)).toEqual([{ id: 'a', name: 'edit', arguments: '{"text":"half' }])
    expect(events.at(-1)).toEqual({ type: 'end', finish: 'length' })
  })
})

it.each([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['tool_calls', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['MAX_TOKENS', 'length'],
  ['content_filter', 'filter'],
  ['SAFETY', 'filter'],
])('the reason %s without a call means %s', (reason, finish) => {
  expect(decode([chunk({ content: 'a' }), stop(reason)]).at(-1)).toEqual({ type: 'end', finish })
})

it('a call decides that the model stopped to call, whatever reason it gave', () => {
  const events = decode([call({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }), stop('stop')])
  expect(events.at(-1)).toEqual({ type: 'end', finish: 'calls' })
})

describe('an answer is given up', () => {
  it.each([
    ['when an event is no object', ['text'], 'endpoint_nonsense'],
    ['when it is longer than agreed', [chunk({ content: 'x'.repeat(10_001) })], 'answer_too_large'],
    [
      'when arguments are longer than agreed',
      [call({ index: 0, id: 'a', function: { name: 'w', arguments: 'x'.repeat(10_001) } })],
      'answer_too_large',
    ],
    [
      'when it calls without end',
      [
        chunk({
          tool_calls: Array.from({ length: 10_000 }, (_, index) => ({ index, id: `c${index}`, function: { name: 'r' } })),
        }),
      ],
      'endpoint_nonsense',
    ],
  ])('%s', (_when, chunks, code) => {
    expect(decode(chunks).at(-1)).toMatchObject({ type: 'failed', refusal: { code } })
  })
})
