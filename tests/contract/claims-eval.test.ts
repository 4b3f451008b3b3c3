/** The sets of `pnpm eval`: each answer of the first is judged as a careful reader would; of the others, nothing true is doubted. */
import { describe, expect, it } from 'vitest'
import { blindCases } from '../eval/blind-cases.ts'
import { claimCases } from '../eval/claim-cases.ts'
import { heldOutCases } from '../eval/held-out-cases.ts'
import { judgeCase } from '../eval/judge-case.ts'

describe('an answer with', () => {
  it.each(claimCases.map((each) => [each.name, each] as const))('%s is judged rightly', (_name, each) => {
    const { flagged, shape, said } = judgeCase(each)
    expect({ flagged, shape, said }).toEqual({ flagged: each.flagged, shape: each.shape ?? null, said })
  })

  it('is one of at least sixty, of which half must pass', () => {
    expect(claimCases.length).toBeGreaterThanOrEqual(60)
    expect(claimCases.filter(({ flagged }) => !flagged).length * 2).toBeGreaterThanOrEqual(claimCases.length - 1)
  })
})

describe('an answer written without sight of the patterns', () => {
  it.each([
    ['blind', blindCases, 0.85],
    ['held out', heldOutCases, 0.6],
  ])('is never doubted where it is true, and mostly where it is not: %s', (_name, cases, recall) => {
    const judged = cases.map((each) => ({ name: each.name, expected: each.flagged, flagged: judgeCase(each).flagged }))
    expect(judged.filter(({ expected, flagged }) => flagged && !expected).map(({ name }) => name)).toEqual([])
    const toFlag = judged.filter(({ expected }) => expected)
    expect(toFlag.filter(({ flagged }) => flagged).length / toFlag.length).toBeGreaterThanOrEqual(recall)
  })
})
