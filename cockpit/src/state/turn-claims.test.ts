import { describe, expect, it } from 'vitest'
import type { TurnClaim, TurnClaims } from './turn.ts'
import { weighClaims } from './turn-claims.ts'

const said = (verdict: TurnClaim['verdict']): TurnClaim => ({ text: 'All tests pass.', verdict, reason: '', callIds: [] })
const answer = (given: Partial<TurnClaims>): TurnClaims => ({
  kind: 'claims',
  id: 'beat_1',
  sentences: [],
  unchecked: [],
  fabrication: null,
  nudged: false,
  ...given,
})

describe('an answer', () => {
  it.each([
    [
      'with support alone',
      { sentences: [said('supported'), said('supported')] },
      'done',
      '2 statements with support in the record',
    ],
    ['about earlier turns', { sentences: [said('supported'), said('earlier')] }, 'done', '2 statements, 1 about earlier turns'],
    [
      'with a statement against the record',
      { sentences: [said('unsupported'), said('contradicted')] },
      'error',
      '1 of 2 statements against the record',
    ],
    [
      'without support',
      { sentences: [said('supported'), said('unsupported')] },
      'warning',
      '1 of 2 statements without support in the record',
    ],
    ['that was changed after its check', { unchecked: ['a.ts'] }, 'warning', 'Not re-checked since the last change'],
    [
      'that tells of work that is not there',
      { fabrication: 'No tool.' },
      'warning',
      'The answer tells of something that the record does not show',
    ],
  ] as const)('%s is weighed as its worst', (_name, given, state, words) => {
    expect(weighClaims(answer(given as Partial<TurnClaims>))).toEqual({ state, words })
  })
})
