/** Random secrets, and their hashes: the only form in which they are kept. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, safe in a cookie, a header and a shell. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Compares in constant time. Any length of `given` is fine: what is compared are hashes. */
export function matchesHash(given: string, expected: Buffer): boolean {
  const actual = hashSecret(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
