import { describe, expect, it } from 'vitest'
import { playTurn } from './test-turn.ts'

describe('a turn', () => {
  it('yields each beat only after the ledger has it', async () => {
    const order: string[] = []
    await using turn = await playTurn({
      answers: [{ calls: [{ name: 'list_files', arguments: {} }] }, { text: 'Done.' }],
      onEvent: (event) => event.type === 'beat' && order.push(event.beat.id),
    })
    expect(order).toEqual(turn.beats.map(({ id }) => id))
  })

  it('ends as cancelled when it was stopped before it began', async () => {
    await using turn = await playTurn({ answers: [{ text: 'Never said.' }], aborted: true })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.model.requests).toEqual([])
  })

  it('runs no further call after a stop', async () => {
    const call = { name: 'list_files', arguments: {} }
    await using turn = await playTurn({
      answers: [{ calls: [call, call, call] }],
      onEvent: (event, abort) => event.type === 'beat' && event.beat.kind === 'result' && abort(),
    })
    expect(turn.payloads('call')).toHaveLength(1)
    expect(turn.payloads('result')).toHaveLength(1)
    expect(turn.outcome.kind).toBe('cancelled')
  })

  it('ends at its limit of time as failed, not as cancelled', async () => {
    await using turn = await playTurn({ answers: [{ ends: 'deaf' }], input: { limits: { wallMs: 50 } } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'run_limit_reached', details: { unit: 'seconds' } } })
  })

  it('throws when the ledger breaks: that is neither the model nor a tool', async () => {
    const broken = new Error('disk full')
    const ledger = { append: () => Promise.reject(broken), appendTogether: () => Promise.reject(broken) }
    await expect(playTurn({ answers: [{ text: 'Hi.' }], ports: { ledger } })).rejects.toBe(broken)
  })
})
