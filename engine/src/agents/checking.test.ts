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

describe('the last answer', () => {
  const edits = { name: 'edit', arguments: { edits: [{ path: 'new.ts', new: 'x\n' }] } }

  it('that tells of work without a call is asked for again, once, and then stands marked', async () => {
    await using turn = await playTurn({ answers: [{ text: 'I updated `src/a.ts`.' }, { text: 'I updated `src/a.ts` indeed.' }] })
    const [first, second] = turn.payloads('claims')
    expect(first?.fabrication?.shape).toBe('claim_without_tool')
    expect(turn.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', text: first?.nudge })
    expect(second).toMatchObject({ fabrication: { shape: 'claim_without_tool' }, nudge: null })
    expect(turn.model.requests).toHaveLength(2)
    expect(turn.outcome.kind).toBe('completed')
  })

  it('names the beats that a true statement rests on', async () => {
    await using turn = await playTurn({ answers: [{ calls: [edits] }, { text: 'I created `new.ts`. Nothing else.' }] })
    const [effect] = turn.beats.filter(({ kind }) => kind === 'effect')
    const [message] = turn.payloads('message')
    expect(turn.payloads('claims')).toMatchObject([
      {
        messageId: message?.messageId,
        fabrication: null,
        claims: [{ start: 0, end: 19, verdict: 'supported', evidence: [effect?.id] }],
      },
    ])
  })

  it('of one step that may take no more is marked and not asked for again', async () => {
    await using turn = await playTurn({ answers: [{ text: 'I updated `src/a.ts`.' }], input: { limits: { steps: 1 } } })
    expect(turn.payloads('claims')).toMatchObject([{ nudge: null, fabrication: { shape: 'claim_without_tool' } }])
    expect(turn.outcome.kind).toBe('completed')
  })

  it('that claims nothing leaves no beat', async () => {
    await using turn = await playTurn({ answers: [{ text: 'A mutex has one holder.' }] })
    expect(turn.payloads('claims')).toEqual([])
  })

  it('that sums up an earlier turn is taken for what it says', async () => {
    const calls = [{ id: 'c', name: 'edit', arguments: '{"path":"src/a.ts"}' }]
    const history = [
      { role: 'assistant' as const, text: '', calls },
      { role: 'tool' as const, callId: 'c', text: 'ok' },
    ]
    await using turn = await playTurn({ answers: [{ text: 'I updated `src/a.ts`.' }], input: { history } })
    expect(turn.payloads('claims')).toMatchObject([{ fabrication: null, nudge: null, claims: [{ verdict: 'earlier' }] }])
  })
})
