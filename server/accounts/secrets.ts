/** Random secrets, and their hashes: the only form in which they are kept. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, safe in a cookie, a header and a shell. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** 100 bits that a person can read out and type: `k3v9q-…`, four groups of five. */
export function makeCode(): string {
  return [...randomBytes(20)].map((byte, i) => (i % 5 === 0 && i > 0 ? '-' : '') + letters.charAt(byte % 32)).join('')
}

/** A code as it was meant: case and surrounding space come from people, not from us. */
export function readCode(given: string): string {
  return given.trim().toLowerCase()
}

/** Compares in constant time. Any length of `given` is fine: what is compared are hashes. */
export function matchesHash(given: string, expected: Buffer): boolean {
  const actual = hashSecret(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
