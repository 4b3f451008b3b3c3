import { randomBytes } from 'node:crypto'
import { type ModelEvent, makeId } from '@bridlewise/shared/wire'
import { afterEach, describe, expect, it } from 'vitest'
import { openEgressDesk } from '../../tests/support/open-desk.ts'
import { answers, finishes, type Part, type Step, says, silence, streams } from '../../tests/support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { straight } from '../../tests/support/straight.ts'
import { createBridge, type ModelLimits } from './bridge.ts'

const open: ScriptedEndpoint[] = []
afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close()
})

async function ask(step: Step, limits: Partial<ModelLimits>): Promise<ModelEvent[]> {
  const endpoint = await startScriptedEndpoint({ steps: [step] })
  open.push(endpoint)
  const clock = { now: () => 1_000_000, elapsed: () => performance.now() }
  const ids = { next: (noun: Parameters<typeof makeId>[0]) => makeId(noun, Date.now(), randomBytes(16)) }
  const dispatcher = straight()
  const bridge = createBridge({ dispatcher, clock, ids, version: '0.0.0', fixtures: false, limits, onDenied: () => undefined })
  const model = bridge.modelFor({ kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: null }, [], openEgressDesk)
  const request = { runId: 'run', step: 1, modelId: 'm', messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] }
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
  dispatcher.close()
  return events
}

const stall: Part = { type: 'stall' }
const short = { noticeMs: 20, firstMs: 120, idleMs: 120 }
/** How long a connection takes is the machine's affair. */
const waitingIn = (events: readonly ModelEvent[]) =>
  events.filter((event) => event.type === 'waiting' && event.for !== 'connection')

describe('a silence that lasts', () => {
  it.each<[string, Step, string]>([
    ['before the answer', silence, 'answer'],
    ['after the headers', streams([stall]), 'answer'],
    ['after some words', streams([says('a'), stall]), 'words'],
  ])('is counted down once, and then has an end: %s', async (_when, step, what) => {
    const events = await ask(step, short)
    expect(waitingIn(events)).toEqual([{ type: 'waiting', for: what, until: 1_000_100 }])
    expect(events.at(-1)).toMatchObject({ type: 'failed', refusal: { code: 'endpoint_stalled' } })
  })

  it('costs a quick answer nothing', async () => {
    const events = await ask(streams([says('a', 'b'), finishes('stop')]), { noticeMs: 5_000 })
    expect(waitingIn(events)).toEqual([])
  })
})

describe('an account that may not spend more is told apart from a limit of rate', () => {
  it.each<[string, Step, string]>([
    ['by its code', answers(429, { error: { message: 'no', code: 'insufficient_quota' } }), 'endpoint_quota_used_up'],
    ['by its type', answers(429, { error: { message: 'no', type: 'insufficient_quota', code: 'x' } }), 'endpoint_quota_used_up'],
    ['by its status', answers(402, { error: { message: 'no' } }), 'endpoint_quota_used_up'],
    ['inside a 200', streams([{ type: 'event', data: { error: { code: 'insufficient_quota' } } }]), 'endpoint_quota_used_up'],
    ['a rate', answers(429, { error: { message: 'slow', code: 'rate_limit_exceeded' } }), 'endpoint_rate_limited'],
    ['a time that ran out over there', answers(408, 'no'), 'endpoint_failed'],
  ])('%s', async (_how, step, code) => {
    expect((await ask(step, {})).at(-1)).toMatchObject({ type: 'failed', refusal: { code } })
  })
})
