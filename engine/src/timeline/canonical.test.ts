import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CanonicalFault, canonicalise, makeWellFormed } from './index.ts'

describe('canonical JSON', () => {
  test.each([
    [
      'numbers',
      [1, 1.0, -0, 0, 1e21, 1e-7, 333333333.3333333, 2 ** 53 + 1],
      '[1,1,0,0,1e+21,1e-7,333333333.3333333,9007199254740992]',
    ],
    ['texts', ['\u20ac$\u000f\nA\'B"\\\\"/', '\u{1f600}'], '["€$\\u000f\\nA\'B\\"\\\\\\\\\\"/","😀"]'],
    [
      'the order of members',
      { b: 1, a: 2, '10': 3, '2': 4, ö: 5, '\u{1f600}': 6, '\ufb33': 7 },
      '{"10":3,"2":4,"a":2,"b":1,"ö":5,"😀":6,"\ufb33":7}',
    ],
    ['members that are not there', { a: undefined, b: null }, '{"b":null}'],
    ['nesting', { z: [{ y: 1, x: [] }], a: {} }, '{"a":{},"z":[{"x":[],"y":1}]}'],
    ['an object without a prototype', Object.assign(Object.create(null), { b: true, a: false }), '{"a":false,"b":true}'],
    ['a name that is special', JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ])('%s', (_name, value, text) => {
    expect(canonicalise(value)).toBe(text)
  })

  test('composed and decomposed letters stay different', () => {
    expect(canonicalise('é'.normalize('NFC'))).not.toBe(canonicalise('é'.normalize('NFD')))
  })

  test.each([
    ['not a number', Number.NaN, '$'],
    ['infinity', [1, Number.POSITIVE_INFINITY], '$[1]'],
    ['a big integer', { a: { b: 1n } }, '$.a.b'],
    ['half a character', { a: ['x\ud800'] }, '$.a[0]'],
    ['half a character in a name', { '\udc00': 1 }, '$'],
    ['nothing at all', undefined, '$'],
    ['a hole', [1, undefined], '$[1]'],
    ['a function', { f: () => 1 }, '$.f'],
    ['a symbol', Symbol('s'), '$'],
    ['a date', { at: new Date(0) }, '$.at'],
    ['a map', new Map(), '$'],
    ['a typed array', new Uint8Array(2), '$'],
  ])('%s has no canonical form, and the fault says where it stands', (_name, value, at) => {
    expect(() => canonicalise(value)).toThrow(CanonicalFault)
    expect(() => canonicalise(value)).toThrow(expect.objectContaining({ at }))
  })

  test('depth has an end', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
    expect(canonicalise(nest(256))).toContain('1')
    expect(() => canonicalise(nest(257))).toThrow(CanonicalFault)
  })

  test('depends on what a value says, not on how it came about', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = canonicalise(makeWellFormed(value))
        expect(canonicalise(JSON.parse(text))).toBe(text)
        expect(canonicalise(reverseMembers(JSON.parse(text)))).toBe(text)
      }),
    )
  })
})

test('a value with half characters becomes one without, and nothing else changes', () => {
  expect(makeWellFormed({ a: ['x\ud800y', 1, null], '\udc00': { b: 'fine 😀' } })).toEqual({
    a: ['x\ufffdy', 1, null],
    '\ufffd': { b: 'fine 😀' },
  })
})

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reverseMembers(member)]),
  )
}
