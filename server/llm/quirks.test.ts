import { randomBytes } from 'node:crypto'
import { type ModelEvent, makeId } from '@bridlewise/shared/wire'
import { afterAll, describe, expect, it } from 'vitest'
import { openEgressDesk } from '../../tests/support/open-desk.ts'
import { type Dialect, finishes, type Part, type Step, says, streams } from '../../tests/support/script.ts'
import { quirks, type Transcript } from '../../tests/support/script-quirks.ts'
import { startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { straight } from '../../tests/support/straight.ts'
import { createBridge, type ModelLimits } from './bridge.ts'

let next: Step = streams([])
const endpoint = await startScriptedEndpoint({ steps: () => next })
afterAll(() => endpoint.close())

/** Ask one scripted step, and tell what its answer comes to. */
async function transcribe(step: Step, limits: Partial<ModelLimits> = {}): Promise<Transcript> {
  next = step
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const ids = { next: (noun: Parameters<typeof makeId>[0]) => makeId(noun, Date.now(), randomBytes(16)) }
  const dispatcher = straight()
  const bridge = createBridge({ dispatcher, clock, ids, version: '0.0.0', fixtures: false, limits, onDenied: () => undefined })
  const model = bridge.modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
  const request = { runId: 'run', step: 1, modelId: 'm', messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] }
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
  dispatcher.close()
  return tell(events)
}

function tell(events: readonly ModelEvent[]): Transcript {
  const joined = (type: 'text' | 'reasoning') => events.map((event) => (event.type === type ? event.text : '')).join('')
  const made = events.flatMap((event) => (event.type === 'call_end' ? [event.call] : []))
  const used = events.find((event) => event.type === 'usage')?.usage
  const last = events.at(-1)
  const end = last?.type === 'end' ? last.finish : last?.type === 'failed' ? last.refusal.code : String(last?.type)
  expect(new Set(made.map(({ id }) => id)).size, 'ids of calls differ').toBe(made.length)
  return {
    text: joined('text'),
    ...(joined('reasoning') ? { reasoning: joined('reasoning') } : {}),
    ...(made.length > 0
      ? { calls: made.map((call) => [call.name, call.arguments, ...(call.extra ? [call.extra] : [])] as never) }
      : {}),
    ...(used ? { usage: [used.inputTokens, used.outputTokens, used.cachedTokens] as const } : {}),
    end,
  }
}

/** The same step with its bytes cut in another way. */
function cut(step: Step, dialect: Partial<Dialect>): Step {
  return step.answer.kind === 'stream' ? { answer: { ...step.answer, dialect: { ...step.answer.dialect, ...dialect } } } : step
}

describe('an answer comes to the same transcript whole, every 7 bytes, inside characters and with CRLF', () => {
  it.each(quirks)('when $name', async ({ step, transcript }) => {
    expect(await transcribe(step)).toEqual(transcript)
    for (const dialect of [{ splitEvery: 7 }, { splitEvery: 'characters' }, { newline: '\r\n', prefix: 'data:' }] as const) {
      expect(await transcribe(cut(step, dialect)), JSON.stringify(dialect)).toEqual(transcript)
    }
  })
})

describe('an answer without measure ends typed, with what came before', () => {
  const fragments = (count: number): Part[] =>
    Array.from({ length: count }, (_, index) => ({
      type: 'delta',
      delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'read', arguments: '{}' } }] },
    }))
  const stall: Part = { type: 'stall' }

  it.each<[string, readonly Part[], Partial<ModelLimits>, string]>([
    ['words', [...Array.from({ length: 80 }, () => says('x'.repeat(99))), stall], { answerLength: 4_000 }, 'answer_too_large'],
    ['ten thousand calls', [...fragments(10_000), stall], {}, 'endpoint_nonsense'],
    ['one line', [{ type: 'raw', text: `data: ${'x'.repeat(9_000)}` }, stall], { lineBytes: 4_000 }, 'endpoint_nonsense'],
    [
      'one event of many lines',
      [{ type: 'raw', text: 'data: 1\n'.repeat(3_000) }, stall],
      { lineBytes: 4_000 },
      'endpoint_nonsense',
    ],
    [
      'empty events',
      [{ type: 'raw', text: 'data: {"choices":[]}\n\n'.repeat(900) }, stall],
      { wireBytes: 9_000 },
      'answer_too_large',
    ],
    [
      'arguments',
      [
        { type: 'delta', delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'w', arguments: 'x'.repeat(5_000) } }] } },
        stall,
      ],
      { answerLength: 4_000 },
      'answer_too_large',
    ],
  ])('%s', async (_what, parts, limits, code) => {
    expect(await transcribe(streams([says('So far. '), ...parts]), limits)).toMatchObject({
      text: expect.stringMatching(/^So far\. x*$/),
      end: code,
    })
  })

  it('allows as many calls as agreed', async () => {
    const { calls, end } = await transcribe(streams([...fragments(128), finishes('tool_calls')]))
    expect([calls?.length, end]).toEqual([128, 'calls'])
  })

  it('a compressed one is refused unread', async () => {
    const bomb = {
      kind: 'http',
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
      body: Buffer.alloc(100),
    } as const
    expect(await transcribe({ answer: bomb })).toEqual({ text: '', end: 'endpoint_nonsense' })
  })

  it('a huge signature is left out, the call stands', async () => {
    const call = { index: 0, id: 'a', function: { name: 'read', arguments: '{}' }, extra_content: 'x'.repeat(70_000) }
    const { calls } = await transcribe(streams([{ type: 'delta', delta: { tool_calls: [call] } }, finishes('tool_calls')]))
    expect(calls).toEqual([['read', '{}']])
  })
})
