/** Hostile texts: the work is bounded, and a text that asks for more is withheld instead of passed. */
import { describe, expect, test } from 'vitest'
import { createRedactor } from './index.ts'
import { attemptAllowance, formats, scanText } from './scan.ts'
import { makeShadows } from './shadow.ts'

const size = 256 * 1024
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

const hostile: Readonly<Record<string, string>> = {
  'one letter': fill('A'),
  'letters and underscores': fill('a_'),
  'begins without ends': '-----BEGIN RSA PRIVATE KEY-----\n'.repeat(9000),
  'beginnings of JWTs': fill('eyJ'),
  'beginnings of JWTs with joints': fill('eyJ-'),
  'JWTs that fail at the end': fill(`eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(30)}.c `),
  braces: fill('{"a":{"b":'),
  spaces: fill(' '),
  quotes: fill('"'),
  backslashes: fill('\\'),
  'names without values': fill('password='),
  'names with long values': fill(`password=${'x'.repeat(200)}`),
  'names in quotes': fill('"secret": "'),
  'schemes without hosts': fill('://a:'),
  'commands without logins': fill('curl '),
  'cookies without pairs': fill('cookie: a=b; '),
  'the shortest anchors': fill('sk nt od '),
  'anchors of many formats': fill('sk-'),
  'colour codes': fill('\u001b[31m'),
  'colour codes that do not end': fill('\u001b['),
  'invisible characters': fill('g\u200b'),
}

describe.each(Object.entries(hostile))('a text of %s', (_name, text) => {
  test('costs no more attempts than its length allows', () => {
    for (const shadow of makeShadows(text)) {
      const most = Math.max(...Array.from(formats, (format) => format.anchors.length))
      const allowed = attemptAllowance.base + shadow.text.length * attemptAllowance.perCharacter
      expect(scanText(shadow).attempts).toBeLessThanOrEqual(allowed + formats.length * most)
    }
  })

  test('comes out the same when it goes in again', () => {
    const redactor = createRedactor({ salt: 'a salt for this test only' })
    const once = redactor.redact(text).text
    expect(redactor.redact(once).text).toBe(once)
  })
})

test('an attempt is made only where an anchor stands', () => {
  const [shadow] = makeShadows('The quick brown fox jumps over the lazy dog.\n'.repeat(500))
  expect(shadow && scanText(shadow).attempts).toBe(0)
})

test('a text that wants too many attempts is withheld from there on', () => {
  const { text, counts } = createRedactor({ salt: 'a salt for this test only' }).redact(fill('sk-'))
  expect(counts['withheld']).toBe(1)
  expect(text.length).toBeLessThan(size)
})

test('every quantifier of every pattern has a bound', async () => {
  const { readdir, readFile } = await import('node:fs/promises')
  const folder = new URL('./formats/', import.meta.url)
  for (const name of await readdir(folder)) {
    const source = await readFile(new URL(name, folder), 'utf8')
    const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    // A star or plus after a class, a group or an escape, or an open range, repeats without a bound.
    expect(code.match(/[\])}][*+]|\\[wWsSdD][*+]|\{\d+,\}/g), name).toBeNull()
  }
})
