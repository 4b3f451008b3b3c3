import { describe, expect, it } from 'vitest'
import { playTurn } from './test-turn.ts'

describe('the end of a step', () => {
  it.each([
    [{ text: 'Half a', ends: 'length' }, 'The answer was cut off'],
    [{ text: 'I may', ends: 'filter' }, 'The answer was filtered'],
    [{ text: '', ends: 'stop' }, 'The answer is empty'],
  ] as const)('makes a finding of %o', async (answer, title) => {
    await using turn = await playTurn({ answers: [answer] })
    const [response] = turn.beats.filter(({ kind }) => kind === 'response')
    expect(turn.payloads('finding')).toMatchObject([{ severity: 'warning', title, evidence: [response?.id] }])
    expect(turn.outcome.kind).toBe('completed')
  })

  it('finds nothing in a plain answer, nor in a step that only calls', async () => {
    await using turn = await playTurn({ answers: [{ calls: [{ name: 'list_files', arguments: {} }] }, { text: 'Done.' }] })
    expect(turn.payloads('finding')).toEqual([])
  })

  it('runs the calls of an answer whatever it gives as its finish', async () => {
    await using turn = await playTurn({
      answers: [{ calls: [{ name: 'list_files', arguments: {} }], ends: 'stop' }, { text: 'Done.' }],
    })
    expect(turn.payloads('result')).toHaveLength(1)
  })

  it('tells the words between calls as messages of their own', async () => {
    await using turn = await playTurn({
      answers: [{ text: 'First I look.', calls: [{ name: 'list_files', arguments: {} }] }, { text: 'Done.' }],
    })
    expect(turn.payloads('message').map(({ text }) => text)).toEqual(['First I look.', 'Done.'])
  })
})
