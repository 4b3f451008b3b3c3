import { describe, expect, it } from 'vitest'
import { highlighterFor } from './highlight.ts'

const shown = (pattern: string, line: string) =>
  highlighterFor(pattern)(line)
    .map(({ text, hit }) => (hit ? `[${text}]` : text))
    .join('')

describe('the pattern of a search', () => {
  it.each([
    ['parseISO', 'const a = parseISO(b)', 'const a = [parseISO](b)'],
    ['date', 'Date of a date', '[Date] of a [date]'],
    ['new Date\\(', 'return new Date(s)', 'return [new Date(]s)'],
    ['foo\\w+', 'foobar foo', '[foobar] foo'],
    ['a|b', 'cab', 'c[a][b]'],
    ['f(x', 'f(x) + g', '[f(x]) + g'],
    ['x*', 'abc', 'abc'],
    ['', 'abc', 'abc'],
    ['zz', 'abc', 'abc'],
  ])('%s is marked in "%s"', (pattern, line, expected) => expect(shown(pattern, line)).toBe(expected))

  it.each(['(a+)+$', '(a|aa)*b', 'a*a*a*a*b', '(?=a+)a+b', '(a)\\1+'])(
    '%s, which could run for ever, is only looked for as words',
    (pattern) => {
      expect(shown(pattern, `${'a'.repeat(400)} ${pattern}`.slice(-400))).toContain(`[${pattern}]`)
    },
  )
})
