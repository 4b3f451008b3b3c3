import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepEnds, keepHead } from './bound.ts'

describe('bounded text', () => {
  it.each([
    ['short enough', 'a\nb', { bytes: 10, lines: 2 }, 'a\nb', null],
    ['too many bytes', 'abcdef', { bytes: 4, lines: 1 }, 'abcd', '1 line (2 bytes)'],
    ['too many lines', 'a\nb\nc', { bytes: 100, lines: 2 }, 'a\nb', '2 lines (2 bytes)'],
    ['a cut that would fall into a character', 'aé', { bytes: 2, lines: 1 }, 'a', '1 line (2 bytes)'],
    ['a cut that would fall between surrogates', 'a😀', { bytes: 4, lines: 1 }, 'a', '1 line (4 bytes)'],
  ])('%s', (_case, text, limit, kept, cut) => {
    expect(keepHead(text, limit)).toEqual({ text: kept, cut })
  })

  it('keeps beginning and end, and says between them what is missing', () => {
    const text = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n')
    const { text: kept, cut } = keepEnds(text, { bytes: 1000, lines: 10 })
    expect(kept).toMatch(/^line 1\n/)
    expect(kept).toMatch(/line 100$/)
    expect(kept).toContain(`[${cut} left out here]`)
  })

  it('never breaks a character, loses nothing and keeps to the limit, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.nat(60), fc.nat(6), (text, bytes, lines) => {
        const limit = { bytes: bytes + 4, lines: lines + 1 }
        const head = keepHead(text, limit)
        expect(text.startsWith(head.text)).toBe(true)
        expect(head.text.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(head.text)).toBeLessThanOrEqual(limit.bytes)
        expect(head.text.split('\n').length).toBeLessThanOrEqual(limit.lines)
        const ends = keepEnds(text, limit)
        expect(ends.cut === null ? ends.text === text : ends.text.includes(ends.cut)).toBe(true)
        expect(ends.text.isWellFormed()).toBe(true)
      }),
    )
  })
})
