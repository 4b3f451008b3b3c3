import { makeRefusal } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import { playTurn } from './test-turn.ts'

const brokeOff = makeRefusal('endpoint_broke_off')

describe('an answer', () => {
  it('is told piece by piece and recorded whole', async () => {
    await using turn = await playTurn({ answers: [{ reasoning: 'Hm.', text: ['Hel', 'lo.'] }] })
    expect(turn.events.filter(({ type }) => type !== 'beat')).toEqual([
      { type: 'reasoning', step: 1, text: 'Hm.' },
      { type: 'text', step: 1, text: 'Hel' },
      { type: 'text', step: 1, text: 'lo.' },
    ])
    expect(turn.beats.map(({ kind }) => kind)).toEqual(['request', 'response', 'thought', 'message'])
    expect(turn.payloads('message')).toMatchObject([{ role: 'assistant', text: 'Hello.' }])
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 1, calls: 0, filesChanged: [] })
  })

  it('derives each beat from the one it follows from', async () => {
    await using turn = await playTurn({
      answers: [{ text: 'Look.', calls: [{ name: 'list_files', arguments: {} }] }, { text: 'Done.' }],
    })
    const ids = Object.fromEntries(turn.beats.map(({ id, kind, seq }) => [id, `${kind} ${seq}`]))
    expect(turn.beats.map(({ kind, derivation }) => [kind, derivation.map((id) => ids[id])])).toEqual([
      ['request', []],
      ['response', ['request 1']],
      ['message', ['response 2']],
      ['call', ['response 2']],
      ['result', ['call 4']],
      ['request', ['result 5']],
      ['response', ['request 6']],
      ['message', ['response 7']],
      ['claims', ['response 7']],
    ])
  })

  it('adds up what the steps used', async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 8 }
    await using turn = await playTurn({
      answers: [
        { calls: [{ name: 'list_files', arguments: {} }], usage },
        { text: 'Done.', usage },
      ],
    })
    expect(turn.outcome.usage).toEqual({ inputTokens: 20, outputTokens: 4, cachedTokens: 16 })
  })

  it('gives calls ids of ours, since those of endpoints repeat', async () => {
    await using turn = await playTurn({
      answers: [
        {
          calls: [
            { name: 'list_files', arguments: {} },
            { name: 'list_files', arguments: { path: '.' } },
          ],
        },
        { text: '' },
      ],
    })
    const [first, second] = turn.payloads('call')
    expect(first?.callId).toMatch(/^call_/)
    expect(first?.callId).not.toBe(second?.callId)
  })

  it('is recordable whatever half characters the model makes', async () => {
    await using turn = await playTurn({ answers: [{ text: 'a\ud800b' }] })
    expect(turn.payloads('message')).toMatchObject([{ text: 'a\ufffdb' }])
  })
})

describe('a stream that does not end well', () => {
  it.each([
    ['fails after some words', { failed: brokeOff }, 'endpoint_broke_off'],
    ['breaks its contract by throwing', 'throws', 'run_fault'],
  ] as const)('keeps the words when it %s, and runs none of its calls', async (_case, ends, code) => {
    await using turn = await playTurn({
      answers: [{ text: 'So far', calls: [{ name: 'list_files', arguments: {} }], ends }],
    })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code } })
    expect(turn.beats.map(({ kind }) => kind)).toEqual(['request', 'response', 'message'])
    expect(turn.payloads('message')).toMatchObject([{ text: 'So far' }])
    expect(turn.payloads('response')).toMatchObject([{ finish: null, refusal: { code } }])
  })

  it('names the fault of a throwing port for the log, and not for the person', async () => {
    await using turn = await playTurn({ answers: [{ ends: 'throws' }] })
    expect(turn.faults).toHaveLength(1)
    expect(turn.outcome).toMatchObject({ refusal: { details: { fault: 'fault-1' } } })
  })

  it('is a typed ending when the request was refused before it left', async () => {
    const refusal = makeRefusal('redaction_failed', { problem: 'too slow' })
    await using turn = await playTurn({ answers: [{ ends: { unsent: refusal } }] })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal })
    expect(turn.beats.map(({ kind }) => kind)).toEqual(['response'])
  })

  it('counts as broken off when it just stops', async () => {
    const silent = { fixture: true, stream: async function* () {} }
    await using turn = await playTurn({ answers: [], ports: { model: silent } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_broke_off' } })
  })

  it.each(['waits', 'deaf'] as const)('does not hold up a stop when the model %s', async (ends) => {
    await using turn = await playTurn({
      answers: [{ text: 'So far', ends }],
      onEvent: (event, abort) => event.type === 'text' && abort(),
    })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.payloads('message')).toMatchObject([{ text: 'So far' }])
  })
})
