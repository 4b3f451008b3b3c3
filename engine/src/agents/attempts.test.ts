import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import { readRetryAfter, waitBeforeNext } from './attempts.ts'
import { playTurn } from './test-turn.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
const limits = { attempts: 3, backoffMs: 1000, longestWaitMs: 60_000 }
const failed = (status: number | string, more: object = {}) => makeRefusal('endpoint_failed', { status, problem: 'no', ...more })
const limited = (retryAfter?: string) =>
  makeRefusal('endpoint_rate_limited', { status: 429, problem: 'slow down', ...(retryAfter ? { retryAfter } : {}) })
const corrected = makeRefusal('endpoint_corrected', { status: 400, problem: 'no', meaning: 'It is not sent' })
const stalled = (phase: string) => makeRefusal('endpoint_stalled', { seconds: 60, phase })
const unreachable = (passing: boolean) => makeRefusal('endpoint_unreachable', { endpoint: 'e', problem: 'no', passing })

describe('the wait before the next attempt', () => {
  it.each<[string, Refusal, number, number, number | null]>([
    ['grows where nothing is asked for', failed(503), 1, 1, 1000],
    ['grows where nothing is asked for', failed(503), 2, 1, 4000],
    ['is spread by chance', failed(529), 1, 0, 500],
    ['is at least what was asked for', limited('2'), 1, 0, 2000],
    ['is asked for as a date', limited('Tue, 01 Jan 2030 00:00:05 GMT'), 1, 0, 5000],
    ['is asked for as a date that has passed', limited('Mon, 31 Dec 2029 23:59:00 GMT'), 1, 0, 0],
    ['is asked for together with an outage', failed(503, { retryAfter: '7' }), 1, 1, 7500],
    ['is too long', limited('61'), 1, 0, null],
    ['lies far away', limited('Tue, 01 Jan 2040 00:00:00 GMT'), 1, 0, null],
    ['is nonsense', limited('soon'), 1, 1, 1000],
    ['ends with the last attempt', failed(503), 3, 0, null],
    ['follows a passing trouble of the network', unreachable(true), 1, 1, 1000],
    ['follows no lasting one', unreachable(false), 1, 1, null],
    ['follows the first silence', stalled('starting its answer'), 1, 1, 1000],
    ['follows no second silence', stalled('connecting'), 2, 1, null],
    ['follows no used up quota', makeRefusal('endpoint_quota_used_up', { status: 429, problem: 'no' }), 1, 0, null],
    ['follows a corrected profile at once', corrected, 1, 1, 0],
    ['follows a corrected profile, but not beyond the attempts', corrected, 3, 1, null],
    ['follows no refusal', makeRefusal('endpoint_refused', { status: 400, problem: 'no' }), 1, 0, null],
    ['follows no wrong key', makeRefusal('endpoint_unauthorized', { status: 401, problem: 'no' }), 1, 0, null],
    ['follows no nonsense', makeRefusal('endpoint_nonsense', { problem: 'no' }), 1, 0, null],
  ])('%s', (_what, refusal, made, chance, expected) => {
    expect(waitBeforeNext({ refusal, made, now, chance }, limits)).toBe(expected)
  })

  it.each(['-1', '1e3', '', '99999999999', null, 7])('%j asks for nothing', (value) => {
    expect(readRetryAfter(value, now)).toBeNull()
  })
})

describe('a step whose request failed', () => {
  const quick = { attempts: 3, backoffMs: 1, longestWaitMs: 60_000 }
  const down = failed(503)

  it('is asked for again, and each attempt is on record', async () => {
    await using turn = await playTurn({
      answers: [{ ends: { failed: down } }, { ends: { failed: limited('0') } }, { text: 'Hello.' }],
      input: { limits: quick },
    })
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 1 })
    expect(turn.beats.map(({ kind }) => kind)).toEqual([
      'request',
      'response',
      'request',
      'response',
      'request',
      'response',
      'message',
    ])
    expect(turn.payloads('response').map(({ refusal }) => refusal?.code ?? null)).toEqual([
      'endpoint_failed',
      'endpoint_rate_limited',
      null,
    ])
    expect(turn.events.filter(({ type }) => type === 'waiting')).toMatchObject([
      { for: 'attempt', attempt: { next: 2, of: 3, refusal: { code: 'endpoint_failed' } } },
      { for: 'attempt', attempt: { next: 3, of: 3, refusal: { code: 'endpoint_rate_limited' } } },
    ])
  })

  it.each([
    [
      'the attempts are used up',
      [{ ends: { failed: down } }, { ends: { failed: down } }, { ends: { failed: down } }, { text: 'Late.' }],
      3,
    ],
    ['a word had come', [{ text: 'Hel', ends: { failed: down } }, { text: 'Late.' }], 1],
    ['a thought had come', [{ reasoning: 'Hm', ends: { failed: down } }, { text: 'Late.' }], 1],
    ['a call had come', [{ calls: [{ name: 'list_files', arguments: {} }], ends: { failed: down } }, { text: 'Late.' }], 1],
    ['it was refused before it left', [{ ends: { unsent: down } }, { text: 'Late.' }], 1],
  ] as const)('is not asked for again when %s', async (_why, answers, requests) => {
    await using turn = await playTurn({ answers, input: { limits: quick } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_failed' } })
    expect(turn.model.requests).toHaveLength(requests)
  })

  it('is given up at once when the person stops the wait', async () => {
    await using turn = await playTurn({
      answers: [{ ends: { failed: limited('50') } }, { text: 'Late.' }],
      input: { limits: quick },
      onEvent: (event, abort) => event.type === 'waiting' && abort(),
    })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.model.requests).toHaveLength(1)
  })
})
