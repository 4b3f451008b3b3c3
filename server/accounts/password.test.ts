import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createPasswords, floor } from './password.ts'

const passwords = createPasswords()

async function record(password: string): Promise<string> {
  const hashed = await passwords.hash(password)
  if (!hashed.ok) throw new Error(hashed.refusal.message)
  return hashed.value
}

async function verify(stored: string | null, password: string, by = passwords) {
  const compared = await by.verify(password, stored)
  if (!compared.ok) throw new Error(compared.refusal.message)
  return compared.value
}

/** A record as somebody with access to the table could plant it: sound in form, of any cost. */
function plant(password: string, cost: { N: number; r: number; p: number }, saltBytes = 16): string {
  const salt = Buffer.alloc(saltBytes, 1)
  const hash = scryptSync(password, salt, 32, { ...cost, maxmem: 2 ** 30 })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

describe('a password record', () => {
  it('says its parameters and has a salt of its own', async () => {
    const [one, two] = [await record('correct horse'), await record('correct horse')]
    expect(one).toMatch(/^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one.split('$')[4]).not.toBe(two.split('$')[4])
  })

  it('matches its password in either Unicode form, and no other', async () => {
    const stored = await record(' pässword\0one')
    const match = async (given: string) => (await verify(stored, given)).match
    expect(await match(' pässword\0one'.normalize('NFD'))).toBe(true)
    for (const wrong of ['pässword\0one', ' pässword', ' Pässword\0one', '']) expect(await match(wrong)).toBe(false)
  })

  it.each([
    ['a cheap N', plant('correct horse', { N: 2 ** 10, r: 8, p: 1 })],
    ['a small r', plant('correct horse', { N: 2 ** 17, r: 4, p: 1 })],
    ['a short salt', plant('correct horse', floor, 8)],
    ['a cost above the ceiling', `scrypt$${2 ** 30}$8$1$${'A'.repeat(22)}$${'A'.repeat(43)}`],
    ['another scheme', 'plain$correct horse'],
    ['nothing', ''],
  ])('with %s never matches', async (_, stored) => {
    expect(await verify(stored, 'correct horse')).toEqual({ match: false, renewed: null })
  })

  it('that is sound by hand matches, so it is the floor that refuses the others', async () => {
    expect(await verify(plant('correct horse', floor), 'correct horse')).toEqual({ match: true, renewed: null })
  })

  it('is renewed at a match when hashing has become costlier since, and not at a miss', async () => {
    const stored = await record('correct horse')
    const costlier = createPasswords({ ...floor, p: 2 })
    const { match, renewed } = await verify(stored, 'correct horse', costlier)
    expect(match).toBe(true)
    expect(renewed).toMatch(/^scrypt\$131072\$8\$2\$/)
    expect(await verify(stored, 'wrong horse', costlier)).toEqual({ match: false, renewed: null })
    expect(await verify(renewed, 'correct horse', costlier)).toEqual({ match: true, renewed: null })
  })
})

describe('a new password', () => {
  it.each([
    ['seven characters', 'seven77', 'password_too_weak'],
    ['eight characters', 'eight888', 'ok'],
    ['eight that compose to four', 'e\u0301'.repeat(4), 'password_too_weak'],
    ['more than is ever hashed', 'x'.repeat(1025), 'password_too_weak'],
  ])('of %s', async (_, password, expected) => {
    const hashed = await passwords.hash(password)
    expect(hashed.ok ? 'ok' : hashed.refusal.code).toBe(expected)
  })
})

describe('many logins at once', () => {
  it('take no more memory than two', async () => {
    const MiB = 2 ** 20
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 5)
    const all = Promise.all(Array.from({ length: 8 }, () => verify(null, 'correct horse')))
    expect((await all).some(({ match }) => match)).toBe(false)
    clearInterval(watch)
    // Each hash fills 128 MiB; uncapped, the four threads of the pool would hold 512.
    expect(peak - before).toBeLessThan(2 * 128 * MiB + 64 * MiB)
  })
})
