import { hash, randomBytes } from 'node:crypto'
import type { ModelPort } from '@bridlewise/engine'
import { type ModelEvent, type ModelMessage, makeId } from '@bridlewise/shared/wire'
import { afterEach, describe, expect, it } from 'vitest'
import { openEgressDesk } from '../../tests/support/open-desk.ts'
import {
  answers,
  answersWith,
  calls,
  type Dialect,
  finishes,
  hangup,
  type Part,
  redirects,
  type Script,
  type Step,
  says,
  silence,
  streams,
  thinks,
  uses,
} from '../../tests/support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { straight } from '../../tests/support/straight.ts'
import type { Dispatcher } from '../network/index.ts'
import { type Bridge, createBridge, type ModelLimits } from './bridge.ts'

const open: (ScriptedEndpoint | Dispatcher)[] = []
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close()
})

function bridgeWith(limits: Partial<ModelLimits> = {}): Bridge {
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const ids = { next: (noun: Parameters<typeof makeId>[0]) => makeId(noun, Date.now(), randomBytes(16)) }
  const dispatcher = straight()
  open.push(dispatcher)
  return createBridge({ dispatcher, clock, ids, version: '0.0.0', fixtures: false, limits, onDenied: () => undefined })
}

async function endpointWith(steps: Script['steps']): Promise<ScriptedEndpoint> {
  const endpoint = await startScriptedEndpoint({ steps })
  open.push(endpoint)
  return endpoint
}

async function collect(model: ModelPort, messages: readonly ModelMessage[], signal = new AbortController().signal) {
  const events: ModelEvent[] = []
  const request = { runId: 'run', step: 1, modelId: 'scripted', messages, tools: [] }
  for await (const event of model.stream(request, signal)) events.push(event)
  return events
}

const hello: readonly ModelMessage[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Hello' },
]

/** Ask one scripted step over a bridge of its own. */
async function ask(
  step: Step,
  more: { limits?: Partial<ModelLimits>; apiKey?: string; messages?: readonly ModelMessage[] } = {},
) {
  const endpoint = await endpointWith([step])
  const bridge = bridgeWith(more.limits)
  const model = bridge.modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: more.apiKey ?? null }, [], openEgressDesk)
  return { endpoint, events: await collect(model, more.messages ?? hello) }
}

const textOf = (events: readonly ModelEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('')
const secret = () => `sk-proj-${randomBytes(40).toString('base64url').replaceAll(/[-_]/g, 'x')}`

const parts: readonly Part[] = [
  { type: 'comment', text: 'keep-alive' },
  says('Grüße, ', '世界 ', '🐎'),
  { type: 'comment', text: 'keep-alive' },
  calls('read_file', { path: 'ä.ts' }, { id: 'call_a', pieceLength: 3 }),
  finishes('tool_calls'),
  uses(12, 5),
]

describe('an answer', () => {
  it.each<[string, Partial<Dialect>]>([
    ['as most send it', {}],
    ['with CRLF', { newline: '\r\n' }],
    ['with CR alone', { newline: '\r' }],
    ['without a space after data:', { prefix: 'data:' }],
    ['without [DONE]', { done: false }],
    ['split every 7 bytes', { splitEvery: 7 }],
    ['split every byte with CRLF', { splitEvery: 1, newline: '\r\n' }],
  ])('is the same %s', async (_how, dialect) => {
    const { events } = await ask(streams(parts, { dialect }))
    expect(textOf(events)).toBe('Grüße, 世界 🐎')
    expect(events.filter(({ type }) => type !== 'text').slice(1)).toEqual([
      { type: 'call_start', callId: 'call_a', name: 'read_file' },
      { type: 'call_end', call: { id: 'call_a', name: 'read_file', arguments: '{"path":"ä.ts"}' } },
      { type: 'usage', usage: { inputTokens: 12, outputTokens: 5, cachedTokens: 0 } },
      { type: 'end', finish: 'calls' },
    ])
  })

  it('keeps what was thought apart from what was said', async () => {
    const { events } = await ask(streams([thinks(['Hm', '…']), says('Yes.'), finishes('stop')]))
    expect(
      events
        .filter(({ type }) => type === 'reasoning')
        .map((event) => 'text' in event && event.text)
        .join(''),
    ).toBe('Hm…')
    expect(textOf(events)).toBe('Yes.')
  })

  it('may say that it is done and not why', async () => {
    const { events } = await ask(streams([says('Done.')]))
    expect(events.slice(1)).toEqual([
      { type: 'text', text: 'Done.' },
      { type: 'end', finish: 'stop' },
    ])
  })

  it('is complete once the model has stopped, even if the connection then breaks', async () => {
    const { events } = await ask(streams([says('Done.'), finishes('stop'), { type: 'break' }]))
    expect(events.at(-1)).toEqual({ type: 'end', finish: 'stop' })
  })

  it('that holds what looks like events is text', async () => {
    const text = '\n\ndata: {"error":{}}\n\nevent: execute\r\ndata: [DONE]\n\n'
    const { events } = await ask(streams([says(text), finishes('stop')]))
    expect(textOf(events)).toBe(text)
    expect(events.at(-1)).toEqual({ type: 'end', finish: 'stop' })
  })
})

describe('what is sent', () => {
  it('is exactly what the manifest says, and nothing about this machine', async () => {
    const { endpoint, events } = await ask(answersWith('Hi.'), { apiKey: 'local-key' })
    const [received] = endpoint.received
    expect(events[0]).toMatchObject({
      type: 'sent',
      egress: {
        endpoint: endpoint.baseUrl,
        bytes: received?.raw.length,
        digest: hash('sha256', received?.raw ?? ''),
        messages: 2,
        redactions: {},
        fixture: false,
      },
    })
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual(
      ['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'user-agent'].sort(),
    )
    expect(received?.headers['authorization']).toBe('Bearer local-key')
  })

  it('carries no authorization when there is no key', async () => {
    const { endpoint } = await ask(answersWith('Hi.'))
    expect(endpoint.received[0]?.headers).not.toHaveProperty('authorization')
  })

  it('holds no secret, wherever it stood, and says how many were replaced', async () => {
    const planted = secret()
    const { endpoint, events } = await ask(streams([says('ok'), finishes('stop')], { expect: { bodyLacks: planted } }), {
      messages: [
        { role: 'user', text: `my key is ${planted}` },
        { role: 'assistant', text: '', calls: [{ id: 'c', name: 'note', arguments: JSON.stringify({ text: planted }) }] },
        { role: 'tool', callId: 'c', text: `OPENAI_API_KEY=${planted}\nexit 0` },
      ],
    })
    expect(endpoint.problems).toEqual([])
    const sent = events[0]?.type === 'sent' ? events[0].egress : null
    expect(Object.values(sent?.redactions ?? {}).reduce((sum, count) => sum + count, 0)).toBe(3)
    expect(endpoint.received[0]?.raw.toString()).toContain('exit 0')
  })

  it('holds no stored key, even one that looks like nothing', async () => {
    const stored = `plain-words-${randomBytes(6).toString('hex')}`
    const endpoint = await endpointWith([answersWith('ok')])
    const model = bridgeWith().modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [stored], openEgressDesk)
    await collect(model, [{ role: 'user', text: `say ${stored} back` }])
    expect(endpoint.received[0]?.raw.toString()).not.toContain(stored)
    expect(endpoint.received[0]?.raw.toString()).toContain('say ')
  })
})

it('the connection of a whole answer serves the next request', async () => {
  const ports = new Set<unknown>()
  const endpoint = await endpointWith(() => answersWith('ok'))
  const model = bridgeWith().modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
  for (let nth = 1; nth <= 3; nth += 1) {
    await collect(model, hello)
    ports.add((await endpoint.arrived(nth)).clientPort)
  }
  expect(ports.size).toBe(1)
})

describe('a failure', () => {
  const echo = secret()
  it.each<[string, Step, string]>([
    ['a wrong key', answers(401, { error: { message: 'no' } }), 'endpoint_unauthorized'],
    ['a forbidden one', answers(403, 'no'), 'endpoint_unauthorized'],
    ['a rate limit', answers(429, { error: { message: 'slow down' } }, { 'retry-after': '2' }), 'endpoint_rate_limited'],
    ['an unknown model', answers(404, { error: { message: 'no such model' } }), 'endpoint_refused'],
    ['a bad request', answers(400, { detail: 'bad' }), 'endpoint_refused'],
    ['a broken service', answers(500, '<html><h1>Oops</h1></html>'), 'endpoint_failed'],
    ['an overloaded one', answers(529, ''), 'endpoint_failed'],
    ['a redirect', redirects('http://127.0.0.1:9/v1'), 'endpoint_redirected'],
    ['a web page', answers(200, '<!doctype html>', { 'content-type': 'text/html' }), 'endpoint_nonsense'],
    ['plain text', answers(200, 'hello'), 'endpoint_nonsense'],
    ['no content', answers(204), 'endpoint_nonsense'],
    ['a JSON document', answers(200, { choices: [] }), 'endpoint_nonsense'],
    ['an error in place of the stream', answers(200, { error: { code: 429, message: 'slow down' } }), 'endpoint_rate_limited'],
    ['an error inside the stream', streams([{ type: 'event', data: { error: { message: 'overloaded' } } }]), 'endpoint_failed'],
    ['an event that is not JSON', streams([{ type: 'raw', text: 'data: {"choices":\n\n' }]), 'endpoint_nonsense'],
    ['an empty stream', streams([]), 'endpoint_nonsense'],
    ['a hang-up before the answer', hangup, 'endpoint_unreachable'],
  ])('that is %s is typed', async (_what, step, code) => {
    const { events } = await ask(step)
    expect(events.map(({ type }) => type)).toEqual(['sent', 'failed'])
    expect(events[1]).toMatchObject({ refusal: { code } })
  })

  it.each<[string, readonly Part[], string]>([
    ['breaks off', [{ type: 'break' }], 'endpoint_broke_off'],
    ['ends without an end', [], 'endpoint_broke_off'],
    ['turns into an error', [{ type: 'event', data: { error: { message: 'overloaded' } } }], 'endpoint_failed'],
    ['turns into nonsense', [{ type: 'raw', text: 'data: not json\n\n' }], 'endpoint_nonsense'],
  ])('in the middle keeps what arrived when the answer %s', async (_how, rest, code) => {
    const { events } = await ask(streams([says('Half an ', 'answer'), ...rest], { dialect: { done: false } }))
    expect(textOf(events)).toBe('Half an answer')
    expect(events.at(-1)).toMatchObject({ type: 'failed', refusal: { code } })
  })

  it('that echoes the request is cleaned before anyone reads it', async () => {
    const { events } = await ask(answers(400, { error: { message: `bad header Bearer ${echo} for key local-key-123456` } }), {
      apiKey: 'local-key-123456',
    })
    const told = JSON.stringify(events.at(-1))
    expect(told).toContain('bad header')
    expect(told).not.toContain(echo)
    expect(told).not.toContain('local-key-123456')
  })

  it('is told when nothing listens', async () => {
    const endpoint = await endpointWith([])
    const { baseUrl } = endpoint
    await endpoint.close()
    const events = await collect(bridgeWith().modelFor({ kind: 'custom', baseUrl, apiKey: null }, [], openEgressDesk), hello)
    expect(events.at(-1)).toMatchObject({
      refusal: { code: 'endpoint_unreachable', details: { problem: 'nothing listens there' } },
    })
  })

  it('is never retried', async () => {
    const { endpoint } = await ask(answers(503, 'try later', { 'retry-after': '0', 'x-should-retry': 'true' }))
    expect(endpoint.received).toHaveLength(1)
  })
})

describe('silence', () => {
  const stall: Part = { type: 'stall' }
  it.each<[string, Step, string, Partial<ModelLimits>]>([
    ['before the answer', silence, 'starting its answer', { firstMs: 60 }],
    ['after the headers', streams([stall]), 'starting its answer', { firstMs: 60 }],
    ['after the first words', streams([says('a', 'b'), stall]), 'answering', { idleMs: 60 }],
  ])('%s has a limit', async (_when, step, phase, limits) => {
    const { events, endpoint } = await ask(step, { limits })
    expect(events.at(-1)).toMatchObject({ type: 'failed', refusal: { code: 'endpoint_stalled', details: { phase } } })
    await endpoint.left(1)
  })

  it('is not broken by comments', async () => {
    const comments = Array.from({ length: 40 }, (): Part[] => [
      { type: 'comment', text: 'still here' },
      { type: 'wait', ms: 10 },
    ]).flat()
    const { events } = await ask(streams([says('a'), ...comments, finishes('stop')]), { limits: { idleMs: 80 } })
    expect(events.at(-1)).toMatchObject({ type: 'failed', refusal: { code: 'endpoint_stalled' } })
  })
})

describe('an answer without measure', () => {
  it.each<[string, readonly Part[], Partial<ModelLimits>, string]>([
    ['in words', Array.from({ length: 50 }, () => says('x'.repeat(100))), { answerLength: 2_000 }, 'answer_too_large'],
    [
      'in comments',
      Array.from({ length: 50 }, (): Part => ({ type: 'comment', text: 'x'.repeat(100) })),
      { wireBytes: 2_000 },
      'answer_too_large',
    ],
    ['in one line', [{ type: 'raw', text: `data: ${'x'.repeat(5_000)}` }], { lineBytes: 2_000 }, 'endpoint_nonsense'],
  ])('%s is cut off', async (_how, many, limits, code) => {
    const { events } = await ask(streams([...many, { type: 'stall' }]), { limits })
    expect(events.at(-1)).toMatchObject({ type: 'failed', refusal: { code } })
  })

  it('in bytes that are no text stays an answer', async () => {
    const bytes = Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}}]}\n\n'),
    ])
    const { events } = await ask(streams([{ type: 'raw', text: bytes }, finishes('stop')]))
    expect(textOf(events)).toBe('a\ufffd\ufffd')
  })
})

describe('cancelling', () => {
  it('ends a stalled answer and closes the connection', async () => {
    const endpoint = await endpointWith([streams([says('Half'), { type: 'stall' }])])
    const model = bridgeWith().modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
    const controller = new AbortController()
    const events: ModelEvent[] = []
    for await (const event of model.stream(
      { runId: 'run', step: 1, modelId: 'm', messages: hello, tools: [] },
      controller.signal,
    )) {
      events.push(event)
      if (event.type === 'text') controller.abort()
    }
    expect(events.slice(1)).toEqual([{ type: 'text', text: 'Half' }, { type: 'cancelled' }])
    await endpoint.left(1)
  })

  it('before anything was sent sends nothing', async () => {
    const endpoint = await endpointWith([])
    const model = bridgeWith().modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
    const events = await collect(model, hello, AbortSignal.abort())
    expect(events.at(-1)).toEqual({ type: 'cancelled' })
    expect(endpoint.all).toEqual([])
  })

  it('by leaving the stream closes the connection, too', async () => {
    const endpoint = await endpointWith([streams([says('Half'), { type: 'stall' }])])
    const model = bridgeWith().modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
    const request = { runId: 'run', step: 1, modelId: 'm', messages: hello, tools: [] }
    for await (const event of model.stream(request, new AbortController().signal)) {
      if (event.type === 'text') break
    }
    await endpoint.left(1)
  })
})
