import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffTexts } from './index.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')

describe('a difference', () => {
  test('has three lines of context and both line numbers', () => {
    const before = numbered(20)
    const { hunks, ...facts } = diffTexts('a.txt', before, before.replace('line 10\n', 'ten\nand a half\n'))
    expect(facts).toEqual({ path: 'a.txt', change: 'modified', added: 2, removed: 1, cut: null })
    expect(hunks).toHaveLength(1)
    expect(hunks[0]?.header).toBe('@@ -7,7 +7,8 @@')
    expect(hunks[0]?.lines.map(({ kind, old, new: fresh }) => [kind, old, fresh])).toEqual([
      ['same', 7, 7],
      ['same', 8, 8],
      ['same', 9, 9],
      ['removed', 10, null],
      ['added', null, 10],
      ['added', null, 11],
      ['same', 11, 12],
      ['same', 12, 13],
      ['same', 13, 14],
    ])
  })

  test('of places far apart has a hunk for each', () => {
    const before = numbered(100)
    const { hunks } = diffTexts('a.txt', before, before.replace('line 10\n', 'X\n').replace('line 90\n', 'Y\n'))
    expect(hunks.map((hunk) => hunk.header)).toEqual(['@@ -7,7 +7,7 @@', '@@ -87,7 +87,7 @@'])
  })

  test.each([
    ['a created file', null, 'a\nb\n', 'created', 2, 0],
    ['a deleted file', 'a\nb\n', null, 'deleted', 0, 2],
    ['an empty created file', null, '', 'created', 0, 0],
    ['a final line end that comes', 'a', 'a\n', 'modified', 1, 1],
    ['a change at the very start', 'a\nb\n', 'x\nb\n', 'modified', 1, 1],
    ['a change at the very end', 'a\nb', 'a\nc', 'modified', 1, 1],
    ['a repeated line that comes', 'a\na\n', 'a\na\na\n', 'modified', 1, 0],
    ['nothing', 'a\n', 'a\n', 'modified', 0, 0],
  ])('of %s', (_name, before, after, change, added, removed) => {
    expect(diffTexts('f', before, after)).toMatchObject({ change, added, removed, cut: null })
  })

  test('shows lines without their ends', () => {
    const { hunks } = diffTexts('f', 'a\r\nb\r\n', 'a\r\nc\r\n')
    expect(hunks[0]?.lines.map((line) => line.text)).toEqual(['a', 'b', 'c'])
  })

  test('of a large created file counts everything and says what is not shown', () => {
    const diff = diffTexts('f', null, numbered(5000))
    expect(diff).toMatchObject({ added: 5000, cut: '4400 further lines of the difference are not shown.' })
    expect(diff.hunks[0]?.lines).toHaveLength(600)
  })

  test('shows long lines in part and says so', () => {
    const diff = diffTexts('f', 'x'.repeat(10_000), 'y'.repeat(10_000))
    expect(diff.cut).toBe('2 long lines are shown in part.')
    expect(Math.max(...diff.hunks.flatMap((hunk) => hunk.lines.map((line) => line.text.length)))).toBeLessThan(600)
  })

  test('of texts that have nothing in common ends, and still counts', () => {
    const scramble = (seed: number) => Array.from({ length: 30_000 }, (_, i) => `${(i * seed) % 30_011}\n`).join('')
    expect(diffTexts('f', scramble(7919), scramble(104_729))).toMatchObject({ cut: expect.stringMatching(/not shown/) })
  })

  test('applied to the old text gives the new one', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'a'), { maxLength: 30 })
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const before = old.map((line) => `${line}\n`).join('')
        const after = fresh.map((line) => `${line}\n`).join('')
        const result: string[] = []
        let at = 0
        for (const line of diffTexts('f', before, after).hunks.flatMap((hunk) => hunk.lines)) {
          if (line.old !== null) {
            result.push(...old.slice(at, line.old - 1))
            at = line.old
          }
          if (line.kind !== 'removed') result.push(line.text)
        }
        result.push(...old.slice(at))
        expect(result).toEqual(fresh)
      }),
    )
  })
})
