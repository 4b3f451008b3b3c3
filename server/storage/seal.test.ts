import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { StorageFault } from './fault.ts'
import { type Cell, createSeal } from './seal.ts'

const cell: Cell = { table: 'messages', column: 'text', row: 'message_1', parent: 'chat_1', owner: 'user_1' }
const key = randomBytes(32)
const ids = { active: '0011223344556677', other: '8899aabbccddeeff' }
const ring = { active: ids.active, keys: new Map([[ids.active, key]]) }
const seal = createSeal(ring)

function refusalOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof StorageFault ? error.refusal.code : error
  }
}

describe('a sealed value', () => {
  it.each(['', 'a word', 'ä \u{1f40e} \0', 'x'.repeat(100_000)])('opens in its own cell', (text) => {
    expect(seal.open(cell, seal.seal(cell, text))).toBe(text)
  })

  it('is different each time and holds nothing of its text', () => {
    const [one, two] = [seal.seal(cell, 'the same words'), seal.seal(cell, 'the same words')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes('same')).toBe(false)
  })

  it.each(['table', 'column', 'row', 'parent', 'owner'] as const)('does not open under another %s', (field) => {
    const value = seal.seal(cell, 'secret')
    expect(refusalOf(() => seal.open({ ...cell, [field]: 'other' }, value))).toBe('sealed_value_tampered')
  })

  it('does not open when two fields swap a character between them', () => {
    const value = seal.seal({ ...cell, row: 'ab', parent: 'c' }, 'secret')
    expect(refusalOf(() => seal.open({ ...cell, row: 'a', parent: 'bc' }, value))).toBe('sealed_value_tampered')
  })

  const value = seal.seal(cell, 'secret')
  it.each([
    ['cut at the end', value.subarray(0, -1)],
    ['cut to its head', value.subarray(0, 21)],
    ['empty', Buffer.alloc(0)],
    ['of an older version', Buffer.concat([Buffer.from([0]), value.subarray(1)])],
    ['under another key id', Buffer.concat([value.subarray(0, 1), Buffer.from(ids.other, 'hex'), value.subarray(9)])],
    ['replaced by its plain text', 'secret'],
    ['gone', null],
  ])('does not open when it is %s', (_, changed) => {
    expect(refusalOf(() => seal.open(cell, changed))).toBe('sealed_value_tampered')
  })

  it('does not open with any one byte flipped', () => {
    for (let i = 0; i < value.length; i += 1) {
      const flipped = Buffer.from(value)
      flipped.writeUInt8(value.readUInt8(i) ^ 1, i)
      expect(refusalOf(() => seal.open(cell, flipped))).toBe('sealed_value_tampered')
    }
  })

  it('does not open with a tag of four bytes, which the cipher itself would take', () => {
    const short = createCipheriv('aes-256-gcm', key, value.subarray(9, 21), { authTagLength: 4 })
    const body = Buffer.concat([short.update('secret'), short.final(), short.getAuthTag()])
    const forged = Buffer.concat([value.subarray(0, 21), body])
    expect(refusalOf(() => seal.open(cell, forged))).toBe('sealed_value_tampered')
  })

  it('opens with an older key that is still in the ring, and not with a ring that never had it', () => {
    const newer = createSeal({ active: ids.other, keys: new Map([...ring.keys, [ids.other, randomBytes(32)]]) })
    expect(newer.open(cell, value)).toBe('secret')
    const foreign = createSeal({ active: ids.active, keys: new Map([[ids.active, randomBytes(32)]]) })
    expect(refusalOf(() => foreign.open(cell, value))).toBe('sealed_value_tampered')
  })

  it('never uses a nonce twice in many values', () => {
    const seen = new Set<string>()
    for (let i = 0; i < 20_000; i += 1) seen.add(seal.seal(cell, '').toString('latin1', 9, 21))
    expect(seen.size).toBe(20_000)
  })
})
