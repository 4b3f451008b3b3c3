/** Ids: a noun, an underscore, and 26 characters of Crockford base 32 that sort by time. */
import { z } from 'zod'

export const idNouns = [
  'user',
  'session',
  'token',
  'code',
  'project',
  'share',
  'provider',
  'probe',
  'chat',
  'run',
  'message',
  'call',
  'beat',
  'blob',
  'grant',
  'rewind',
  'change',
  'version',
  'departure',
  'hold',
  'rule',
  'redaction',
] as const
export type IdNoun = (typeof idNouns)[number]

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The schema of one kind of id: `idOf('run')` takes `run_01j…` and nothing else. */
export function idOf(noun: IdNoun) {
  return z.string().regex(new RegExp(`^${noun}_[0-9a-hjkmnp-tv-z]{26}$`), `not a ${noun} id`)
}

/**
 * Make an id: 48 bits of milliseconds since 1970, then 80 random bits (the layout of ULID).
 * `random` gives 16 bytes, of which five bits each are used.
 */
export function makeId(noun: IdNoun, now: number, random: Uint8Array): string {
  let time = ''
  for (let rest = now, i = 0; i < 10; i += 1) {
    time = alphabet.charAt(rest % 32) + time
    rest = Math.floor(rest / 32)
  }
  let tail = ''
  for (let i = 0; i < 16; i += 1) tail += alphabet.charAt((random[i] ?? 0) % 32)
  return `${noun}_${time}${tail}`
}
