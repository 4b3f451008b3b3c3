import { describe, expect, it } from 'vitest'
import { countMarked, revealLine, revealText, spellLine } from './visible-text.ts'

const shown = (text: string) =>
  revealLine(text)
    .segments.map((segment) => (segment.meaning ? `‹${segment.text}›` : segment.text))
    .join('')

describe('a character that deceives the eye is shown', () => {
  it.each([
    ['right-to-left override', 'src/\u202etxt.exe', 'src/‹U+202E›txt.exe'],
    ['isolate', 'if (admin\u2066) {}\u2069', 'if (admin‹U+2066›) {}‹U+2069›'],
    ['zero-width space', 'pass\u200bword', 'pass‹U+200B›word'],
    ['tag block', 'a\u{e0041}b', 'a‹U+E0041›b'],
    ['lone variation selector', 'a\ufe0fb', 'a‹U+FE0F›b'],
    ['selector beyond the first', 'a\u{e0101}', 'a‹U+E0101›'],
    ['soft hyphen', 'co\u00adop', 'co‹U+00AD›op'],
    ['hangul filler', 'x\u3164y', 'x‹U+3164›y'],
    ['byte order mark', '\ufeffx', '‹U+FEFF›x'],
    ['escape', 'a\u001b[8mb', 'a‹␛›[8mb'],
    ['hidden line end', 'ls\nrm x', 'ls‹⏎›rm x'],
    ['Cyrillic in a Latin word', 'раypal.com', '‹р›‹а›ypal.com'],
    ['Greek in a Latin word', 'αdmin', '‹α›dmin'],
  ])('%s', (_, text, expected) => expect(shown(text)).toBe(expected))

  it('and counted, line ends aside', () => {
    expect(revealLine('a\u200b\u202e\nb').marked).toBe(2)
    expect(revealLine('раypal').marked).toBe(2)
  })

  it('and spelled out where there is no markup', () => {
    expect(spellLine('a\u202eb\nc')).toBe('a‹U+202E›b‹⏎›c')
    expect(spellLine('раypal')).toBe('раypal')
  })

  it('in a bounded number of elements, and every one is counted', () => {
    const flood = revealText('\u200b'.repeat(100_000))
    expect(flood.segments.length).toBeLessThan(1_000)
    expect(flood.segments.at(-1)?.text).toBe('99500 more')
    expect(flood.marked).toBe(100_000)
    expect(countMarked('\u200b'.repeat(100_000))).toBe(100_000)
  })

  it('and named', () => {
    expect(revealLine('\u202e').segments).toEqual([
      { text: 'U+202E', meaning: 'right-to-left override (U+202E)', lookalike: false },
    ])
  })
})

describe('what is ordinary stays as it is', () => {
  it.each([
    'src/date.ts',
    'größe.md',
    'отчёт.txt',
    'λογος.md',
    'naïve café',
    'می\u200cخواهم',
    'क्\u200dष',
    '日本語',
    'Δx = σ²',
    '👩‍👩‍👧 ❤️',
    'a b',
    '',
  ])('"%s"', (text) => {
    expect(revealLine(text)).toEqual({ segments: text === '' ? [] : [{ text, meaning: null, lookalike: false }], marked: 0 })
  })

  it('tabs and line ends inside longer text', () => {
    expect(revealText('a\n\tb').marked).toBe(0)
    expect(revealText('a\n\tb').segments).toHaveLength(1)
  })

  it('a long line is read once, not once for every character', () => {
    expect(revealLine(`${'x'.repeat(200_000)}\u202e`).segments).toHaveLength(2)
    expect(revealLine('аb'.repeat(20_000)).marked).toBe(20_000)
  })
})
