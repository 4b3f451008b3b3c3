import type { Departure, EgressPart } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { describeFile, groupByRun, linesOf } from './sent-words.ts'

const part = (kind: EgressPart['kind'], bytes: number, redactions: Record<string, number> = {}): EgressPart => ({
  kind,
  bytes,
  digest: null,
  tool: null,
  callId: null,
  files: [],
  redactions,
})

const request = (id: string, runId: string) => ({ id, runId, chatId: `chat of ${runId}` }) as Departure

describe('what was sent', () => {
  it.each([
    [[], 'a.txt'],
    [[[3, 3]], 'a.txt 3'],
    [
      [
        [1, 40],
        [52, 52],
      ],
      'a.txt 1–40, 52',
    ],
  ] as [[number, number][], string][])('names lines %j as %s', (lines, words) => {
    expect(describeFile({ path: 'a.txt', lines, digest: null })).toBe(words)
  })

  it('tells the descriptions of tools as one line before the framing, and loses no byte and no count', () => {
    const parts = [
      part('user', 3, { email: 1 }),
      part('tools', 10, { url: 1 }),
      part('tools', 20, { url: 2 }),
      part('framing', 4),
    ]
    const lines = linesOf(parts)
    expect(lines.map(({ kind, texts, bytes }) => [kind, texts, bytes])).toEqual([
      ['user', 1, 3],
      ['tools', 2, 30],
      ['framing', 1, 4],
    ])
    expect(lines.map(({ redactions }) => redactions)).toEqual([{ email: 1 }, { url: 3 }, {}])
    expect(linesOf([part('user', 3)]).map(({ kind }) => kind)).toEqual(['user'])
  })

  it('stands under its runs, each time one comes again', () => {
    const groups = groupByRun([request('4', 'b'), request('3', 'a'), request('2', 'a'), request('1', 'b')])
    expect(groups.map(({ runId, requests }) => [runId, requests.map(({ id }) => id)])).toEqual([
      ['b', ['4']],
      ['a', ['3', '2']],
      ['b', ['1']],
    ])
  })
})
