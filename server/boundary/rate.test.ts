import { describe, expect, it } from 'vitest'
import { addressKey, RateBook } from './rate.ts'

const rates = {
  light: { burst: 10, everyMs: 100 },
  normal: { burst: 5, everyMs: 1_000 },
  costly: { burst: 2, everyMs: 2_000 },
  secret: { burst: 3, everyMs: 6_000 },
}

describe('RateBook', () => {
  it('gives the burst, then says how long to wait, then gives one again', () => {
    let now = 0
    const book = new RateBook(rates, () => now)
    expect([1, 2, 3].map(() => book.take('secret', 'ada'))).toEqual([0, 0, 0])
    expect(book.take('secret', 'ada')).toBe(6)
    now += 5_000
    expect(book.take('secret', 'ada')).toBe(1)
    now += 1_000
    expect(book.take('secret', 'ada')).toBe(0)
    expect(book.take('secret', 'ada')).toBe(6)
  })

  it('keeps callers and classes apart', () => {
    const book = new RateBook(rates, () => 0)
    book.take('costly', 'ada')
    book.take('costly', 'ada')
    expect(book.take('costly', 'ada')).toBeGreaterThan(0)
    expect(book.take('costly', 'eve')).toBe(0)
    expect(book.take('normal', 'ada')).toBe(0)
  })

  it('never holds more than the burst, however long nobody called', () => {
    let now = 0
    const book = new RateBook(rates, () => now)
    now += 1e9
    expect([1, 2, 3].map(() => book.take('costly', 'ada'))).toEqual([0, 0, 2])
  })

  it('forgets full buckets first, so that a flood of callers frees nobody who used theirs up', () => {
    let now = 0
    const book = new RateBook(rates, () => now)
    book.take('secret', 'ada')
    book.take('secret', 'ada')
    book.take('secret', 'ada')
    for (let i = 0; i < 9_990; i += 1) book.take('light', `other-${i}`)
    now += 1_000
    for (let i = 0; i < 100; i += 1) book.take('light', `later-${i}`)
    expect(book.take('secret', 'ada')).toBeGreaterThan(0)
  })
})

describe('addressKey', () => {
  it('has one name for this machine in every spelling', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.9'])
      expect(addressKey(address), address).toBe('loopback')
    expect(addressKey('192.168.1.7')).not.toBe('loopback')
    expect(addressKey(undefined)).not.toBe('loopback')
  })
})
