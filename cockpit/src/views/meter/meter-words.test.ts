import { describe, expect, it } from 'vitest'
import { fullness, isNearlyFull, partsOf, shortSpend, summaryChoice } from './meter-words.ts'

describe('the context meter', () => {
  it.each([
    [{ tokens: 1_800, window: 10_000 }, 18],
    [{ tokens: 3, window: 10_000 }, 1],
    [{ tokens: 0, window: 10_000 }, 0],
    [{ tokens: 12_000, window: 10_000 }, 120],
    [{ tokens: 12_000, window: null }, null],
  ])('says of %j that it is %s percent full', (meter, percent) => {
    expect(fullness(meter)).toBe(percent)
  })

  it('is nearly full from where turns are summarised, and never without a window', () => {
    expect(isNearlyFull({ tokens: 79, compactAt: 80 })).toBe(false)
    expect(isNearlyFull({ tokens: 80, compactAt: 80 })).toBe(true)
    expect(isNearlyFull({ tokens: 1_000_000, compactAt: null })).toBe(false)
  })

  it('gives no sum in which the price of something is unknown', () => {
    expect(shortSpend({ cost: '$0.12', calls: 2, unpriced: false })).toBe('$0.12')
    expect(shortSpend({ cost: '$0.12 and 1 model call of unknown price', calls: 2, unpriced: true })).toBe('price unknown')
    expect(shortSpend({ cost: '$0.00', calls: 0, unpriced: false })).toBe(null)
  })

  it('names what takes room and leaves out what takes none', () => {
    const parts = { system: 5, instructions: 0, goal: 0, tools: 7, summary: 0, history: 3, results: 0 }
    expect(partsOf({ parts })).toEqual([
      { title: 'System prompt', tokens: 5 },
      { title: 'Tools', tokens: 7 },
      { title: 'What was said', tokens: 3 },
    ])
  })

  it('takes the newest summary back to the one before it, and offers it again', () => {
    const figures = { messages: 1, method: 'summary', reason: 'asked', tokensBefore: 9, tokensAfter: 2, at: 1 } as const
    const one = { ...figures, id: 'beat_1' as const, upTo: 10 }
    const two = { ...figures, id: 'beat_2' as const, upTo: 20 }
    expect(summaryChoice({ compactions: [], boundary: 0 })).toBe(null)
    expect(summaryChoice({ compactions: [one], boundary: 10 })).toEqual({ label: 'Undo summary', upTo: 0 })
    expect(summaryChoice({ compactions: [two, one], boundary: 20 })).toEqual({ label: 'Undo summary', upTo: 10 })
    expect(summaryChoice({ compactions: [two, one], boundary: 10 })).toEqual({ label: 'Use the summary again', upTo: 20 })
  })
})
