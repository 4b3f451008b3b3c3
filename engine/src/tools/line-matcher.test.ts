import { describe, expect, it } from 'vitest'
import { createLineMatcher, type PatternRequest } from './line-matcher.ts'

async function match(request: Partial<PatternRequest>, text: string) {
  const matcher = createLineMatcher({ pattern: '', kind: 'literal', letters: 'exact', ...request })
  if (!matcher.ok) return matcher.refusal.code
  await using lines = matcher.value
  const found = await lines.match([{ path: 'a', text }])
  return found.ok ? found.value.map(({ line, text: shown }) => `${line}: ${shown}`) : found.refusal.code
}

describe('a pattern', () => {
  it.each([
    ['a literal with signs in it', { pattern: 'f(x) [a]* $1' }, 'no\nf(x) [a]* $1;', ['2: f(x) [a]* $1;']],
    ['a literal in any case', { pattern: 'Hello', letters: 'any case' }, 'HELLO\nhullo', ['1: HELLO']],
    ['an exact literal', { pattern: 'Hello' }, 'HELLO', []],
    ['a regular expression, whatever ends the lines', { pattern: '^a+b$', kind: 'regex' }, 'aab\r\nb\nab', ['1: aab', '3: ab']],
    ['a pattern that could cross lines', { pattern: 'a[^x]*b', kind: 'regex' }, 'a\nb', []],
    ['nothing', { pattern: '' }, 'a', 'pattern_invalid'],
    ['a broken regular expression', { pattern: '(', kind: 'regex' }, 'a', 'pattern_invalid'],
    ['the same as a literal', { pattern: '(' }, 'a(', ['1: a(']],
  ] as const)('matches %s', async (_case, request, text, expected) => {
    expect(await match(request, text)).toEqual(expected)
  })

  it('is stopped when it would never end', async () => {
    expect(await match({ pattern: '^(a+)+$', kind: 'regex' }, `${'a'.repeat(60)}b`)).toBe('pattern_too_slow')
  })

  it('shows the part of a long line that matched', async () => {
    const [hit] = await match({ pattern: 'needle' }, `${'x'.repeat(5000)}needle${'y'.repeat(5000)}`)
    expect(hit).toContain('needle')
    expect(hit?.length).toBeLessThan(320)
  })
})
