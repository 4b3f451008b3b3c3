/** However a secret is written, it is found, and of the text around it no character goes with it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from './index.ts'
import { makeSecret } from './sample-secrets.ts'

const secret = makeSecret('ghp_{a36}')
const stored = 'Quartz+River/77_lamp'
const redactor = createRedactor({ salt: 'a salt for this test only', literals: [stored] })

const hex = (character: string) => character.charCodeAt(0).toString(16)
const math = (character: string, base: number, from: string) =>
  String.fromCodePoint(base + character.charCodeAt(0) - from.charCodeAt(0))
const bold = (character: string) => {
  if (/[A-Z]/.test(character)) return math(character, 0x1d400, 'A')
  if (/[a-z]/.test(character)) return math(character, 0x1d41a, 'a')
  return /\d/.test(character) ? math(character, 0x1d7ce, '0') : character
}

/** Ways to write one character. */
const ways: Readonly<Record<string, (character: string) => string>> = {
  'as it is': (character) => character,
  'full width': (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0),
  'mathematical letters': bold,
  'escapes of JSON': (character) => `\\u00${hex(character)}`,
  'escapes of JSON in JSON': (character) => `\\\\u00${hex(character)}`,
  'escapes of full-width characters': (character) => `\\u${(character.charCodeAt(0) + 0xfee0).toString(16)}`,
  'escapes with braces': (character) => `\\u{${hex(character)}}`,
  'escapes of bytes': (character) => `\\x${hex(character)}`,
  'escapes of URLs': (character) => `%${hex(character)}`,
  'escapes of URLs in URLs': (character) => `%25${hex(character).toUpperCase()}`,
  'decimal entities': (character) => `&#${character.charCodeAt(0)};`,
  'hexadecimal entities': (character) => `&#x${hex(character)};`,
  'entities in entities': (character) => `&amp;#${character.charCodeAt(0)};`,
  'a colour before it': (character) => `\u001b[31m${character}`,
  'a written colour before it': (character) => `\\u001b[1m${character}`,
  'an invisible character before it': (character) => `\u200b${character}`,
  'an invisible entity before it': (character) => `&#8203;${character}`,
  'a variation selector after it': (character) => `${character}\ufe0f`,
}

/** What may stand around: as the disguise of something else, it must not be lost. */
const surroundings = [
  ['found ', ' here'],
  ['?token%3D', '%26next%3D1'],
  ['&quot;', '&quot;'],
  ['"\\"', '\\""'],
  ['first\\n', '\\nlast'],
  ['first\u001b[0m ', '\u001b[0m last'],
  ['<b>', '</b>'],
] as const

describe.each(Object.entries(ways))('written with %s', (_way, write) => {
  test.each([
    ['a secret of a known shape', secret, 'github_token'],
    ['a stored secret', stored, 'stored_secret'],
  ])('%s is found, and nothing around it goes with it', (_what, plain, kind) => {
    for (const [before, after] of surroundings) {
      const { text, counts } = redactor.redact(before + [...plain].map(write).join('') + after)
      expect([text.startsWith(before), text.endsWith(after)], text).toEqual([true, true])
      // What is left of a disguise of the first or last character hides nothing.
      expect(text.slice(before.length, text.length - after.length)).toMatch(/^\S{0,10}\[REDACTED:\w+:[0-9a-f]{8}\]\S?$/)
      expect(Object.keys(counts)).toEqual([kind])
    }
  })
})

test('written in several ways at once it is found, too', () => {
  const written = fc
    .array(fc.constantFrom(...Object.values(ways)), { minLength: secret.length, maxLength: secret.length })
    .map((chosen) => chosen.map((write, at) => write(secret.charAt(at))).join(''))
  fc.assert(
    fc.property(written, (disguised) => {
      const { text } = redactor.redact(`found ${disguised} here`)
      expect(text).toMatch(/^found \S{0,9}\[REDACTED:github_token:[0-9a-f]{8}\]\S{0,1} here$/)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['a format string', '%20s is 100%25 of %5d'],
  ['an address', 'https://x.test/a%20b?c=%7B%7Bsecret%7D%7D&amp;d=%2Fpath'],
  ['markup', '&lt;password&gt; is &quot;required&quot; &nbsp; &hearts;'],
  ['a path of Windows', 'C:\\users\\new\\token\\x64\\release'],
  ['mathematics', '𝐱² + 𝐲² ≤ ½ · ①'],
])('%s stays as it is', (_what, text) => {
  expect(redactor.redact(text)).toEqual({ text, counts: {} })
})
