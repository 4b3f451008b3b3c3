import { describe, expect, it } from 'vitest'
import { compileGlob } from './glob.ts'

function matches(pattern: string, path: string): boolean | string {
  const glob = compileGlob(pattern)
  return glob.ok ? glob.value(path) : glob.refusal.code
}

describe('a path pattern', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**', 'any/where', true],
    ['**/test/**', 'a/test/b/c', true],
    ['./src/*', 'src/a', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['*.{ts,tsx}', 'x/a.tsx', true],
    ['{a,b{c,d}}.js', 'bd.js', true],
    ['[id].ts', '[id].ts', true],
    ['[id].ts', 'i.ts', false],
    ['*.😀', 'a.😀', true],
    ['', 'a', 'pattern_invalid'],
    ['{a,b', 'a', 'pattern_invalid'],
    ['{a,b}'.repeat(50), 'a', 'pattern_invalid'],
    ['{a,b{c,d'.repeat(50), 'a', 'pattern_invalid'],
  ])('%s on %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  it('ends on what would make a backtracking matcher hang', () => {
    expect(matches(`${'*a'.repeat(100)}b`, 'a'.repeat(4000))).toBe(false)
    expect(matches(`${'**/a/'.repeat(40)}b`, 'a/'.repeat(1000))).toBe(false)
  })
})
