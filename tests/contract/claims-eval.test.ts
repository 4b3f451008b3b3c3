/** The set of `pnpm eval`: each answer is judged as a careful reader would. */
import { describe, expect, it } from 'vitest'
import { claimCases } from '../eval/claim-cases.ts'
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
