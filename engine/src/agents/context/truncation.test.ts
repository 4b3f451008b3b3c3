import type { ModelMessage } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { playTurn } from '../test-turn.ts'
import { countReport, floorOf, seemsCut } from './truncation.ts'

const words = (count: number) => 'word '.repeat(count)
const asked = (text: string): readonly ModelMessage[] => [
  { role: 'system', text: words(9_000) },
  { role: 'user', text },
]
const report = (inputTokens: number, cachedTokens = 0) => ({ inputTokens, outputTokens: 1, cachedTokens })
const before = { reported: 4_096, all: 9_000, fresh: 3_000 }

describe('an endpoint that says how much it read', () => {
  it.each<[string, boolean, number, string]>([
    ['a window of 15,000 words', true, 4_096, words(15_000)],
    ['all of them', false, 15_000, words(15_000)],
    ['all of them and its own words', false, 17_000, words(15_000)],
    ['a little less, because something was replaced on the way', false, 12_000, words(15_000)],
    ['few tokens of long words', false, 1_200, 'Donaudampfschifffahrtsgesellschaft '.repeat(1_000)],
    ['few tokens of what has no words', false, 1_000, ' \n'.repeat(100_000) + '-'.repeat(100_000)],
    ['few tokens of a script without spaces', false, 4_096, '漢字'.repeat(20_000)],
    ['few tokens of figures', false, 4_096, '12345678 '.repeat(20_000)],
    ['a number that nobody counted', false, 10, words(15_000)],
    ['nothing', false, 0, words(15_000)],
  ])('reports %s: cut is %s', (_, cut, reported, text) => {
    const counted = countReport(asked(text), report(reported))
    expect(counted && seemsCut(counted, null)).toBe(cut)
  })

  it.each<[string, boolean, Parameters<typeof seemsCut>[0]]>([
    ['the same as before, though what is new is another amount', true, { reported: 4_096, all: 12_000, fresh: 500 }],
    ['another number, as who leaves out its cache', false, { reported: 1_100, all: 12_000, fresh: 1_000 }],
    ['the same for as much that is new, as who leaves out its cache', false, { reported: 4_096, all: 12_000, fresh: 3_001 }],
    ['the same after the chat became shorter', false, { reported: 4_096, all: 8_000, fresh: 500 }],
  ])('reports %s: cut is %s', (_, cut, counted) => {
    expect(seemsCut(counted, before)).toBe(cut)
  })

  it('is not held against what came from its cache', () => {
    expect(countReport(asked(words(15_000)), report(4_096, 1))).toBeNull()
  })

  it('has read for the first time what stands behind the last answer', () => {
    const answer = { role: 'assistant' as const, text: 'Four words of it.', calls: [] }
    expect(floorOf([...asked('one'), answer, { role: 'user', text: 'one, two' }])).toEqual({ all: 7, fresh: 2 })
  })
})

describe('a run whose endpoint cuts off the front', () => {
  const call = { calls: [{ name: 'list_files', arguments: {} }] }

  it('says so once', async () => {
    await using turn = await playTurn({
      input: { prompt: words(15_000) },
      answers: [
        { ...call, usage: report(4_096) },
        { text: 'Done.', usage: report(4_096) },
      ],
    })
    expect(turn.payloads('finding')).toMatchObject([{ severity: 'warning', title: 'The endpoint read only a part' }])
  })

  it('is not accused when it read everything', async () => {
    await using turn = await playTurn({
      input: { prompt: words(15_000) },
      answers: [{ text: 'Done.', usage: report(16_000) }],
    })
    expect(turn.payloads('finding')).toEqual([])
  })
})
