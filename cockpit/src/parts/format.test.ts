import { describe, expect, it } from 'vitest'
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatElapsed,
  formatMoment,
  formatMoney,
  formatRelative,
} from './format.ts'

describe('a number is rounded for reading', () => {
  it.each([
    [0, '0'],
    [214, '214'],
    [999, '999'],
    [1000, '1.0k'],
    [8123, '8.1k'],
    [123_456, '123k'],
    [999_949, '1.0M'],
    [2_400_000, '2.4M'],
  ])('count %d reads %s', (value, expected) => expect(formatCount(value)).toBe(expected))

  it.each([
    [0, '0 B'],
    [312, '312 B'],
    [12_400, '12.4 kB'],
    [999_960, '1.0 MB'],
    [3_100_000_000, '3.1 GB'],
  ])('%d bytes read %s', (value, expected) => expect(formatBytes(value)).toBe(expected))

  it('a count agrees with its noun', () => {
    expect(countOf(1, 'file')).toBe('1 file')
    expect(countOf(1200, 'file')).toBe('1,200 files')
    expect(countOf(2, 'entry', 'entries')).toBe('2 entries')
  })
})

describe('a duration', () => {
  it.each([
    [0.2, '<1 ms'],
    [4, '4 ms'],
    [999.6, '1.0 s'],
    [2140, '2.1 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min'],
    [192_000, '3 min 12 s'],
    [3_599_999, '1 h'],
    [7_500_000, '2 h 5 min'],
  ])('of %d ms reads %s', (ms, expected) => expect(formatDuration(ms)).toBe(expected))

  it.each([
    [-50, '0 s'],
    [4900, '4 s'],
    [65_000, '1:05'],
    [3_729_000, '1:02:09'],
  ])('still running for %d ms reads %s', (ms, expected) => expect(formatElapsed(ms)).toBe(expected))
})

describe('a time is relative', () => {
  const now = new Date(2026, 2, 4, 14, 2, 7).getTime()
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime()

  it.each([
    [now - 20_000, 'just now'],
    [now + 20_000, 'just now'],
    [at(2026, 2, 4, 13, 57), '5 min ago'],
    [at(2026, 2, 4, 9, 0), '5 h ago'],
    [at(2026, 2, 3, 9, 0), 'yesterday'],
    [at(2026, 1, 28, 9, 0), '4 d ago'],
    [at(2026, 0, 9, 9, 0), '9 Jan'],
    [at(2025, 10, 9, 9, 0), '9 Nov 2025'],
    [at(2026, 2, 5, 8, 30), '2026-03-05 08:30:00'],
  ])('%d reads %s', (then, expected) => expect(formatRelative(then, now)).toBe(expected))

  it('just after midnight, an hour before it is hours ago and not yesterday', () => {
    expect(formatRelative(at(2026, 2, 3, 23, 0), at(2026, 2, 4, 0, 30))).toBe('1 h ago')
  })

  it('and exact on demand', () => expect(formatMoment(now)).toBe('2026-03-04 14:02:07'))
})

it.each([
  [0, '$0'],
  [1_000, '<$0.00001'],
  [4_200_000, '$0.0042'],
  [123_456_789, '$0.123'],
  [1_250_000_000, '$1.25'],
])('%d billionths of a dollar read %s', (nanos, expected) => expect(formatMoney(nanos)).toBe(expected))
