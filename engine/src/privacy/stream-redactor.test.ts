/** A text in pieces is redacted as if it were whole, and no piece of a secret leaves before the rest of it is there. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'
import { makeSecret } from './sample-secrets.ts'
import { createStreamRedactor, type StreamLimits } from './stream-redactor.ts'

const stored = `Quartz+River/${randomBytes(6).toString('hex')}`
const settings = {
  salt: 'a salt for this test only',
  literals: [stored, 'shared-part-last'],
  rules: [
    { kind: 'text', value: 'Project Heron' },
    { kind: 'pattern', value: 'ACME-[A-Z0-9]{8}' },
  ] as const,
}
/** Small, so that texts of some length are let go in the middle. */
const small: StreamLimits = { hold: 2048, behind: 2048, step: 128 }

function stream(pieces: readonly string[], limits: StreamLimits = small, given: typeof settings = settings) {
  const redactor = createStreamRedactor(given, limits)
  const left = pieces.map((piece) => redactor.push(piece))
  return { left, whole: [...left, redactor.end()].join('') }
}

const signedHeader = Buffer.from('{"alg":"HS256"}').toString('base64url')
const secrets = [
  // Longer than what is held back without a beginning; a part of them looks like nothing.
  makeSecret(`${signedHeader}.eyJ{u700}.{u43}`),
  makeSecret('hvs.{u280}'),
  ...['ghp_{a36}', 'AKIA{U16}', 'sk-proj-{u80}', '-----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n-----END PRIVATE KEY-----'].map(
    makeSecret,
  ),
  `postgres://me:${makeSecret('{a20}')}@db.test/x`,
  `DB_PASSWORD=${makeSecret('{a20}')}`,
  stored,
  encodeURIComponent(stored),
  Buffer.from(stored).toString('base64'),
  `${stored.slice(0, 9)}\u001b[31m${stored.slice(9)}`,
  'Project Heron',
  'ACME-A1B2C3D4',
]
const prose = fc.integer({ min: 1, max: 60 }).map((times) => 'plain words go on and on with no end in them. '.repeat(times))
const glue = fc.constantFrom('', ' ', '\n', '"', '\\n', '\u001b[1m', '=', ': ', '[REDACTED:x:00000000]', 'password=', '😀', 'key')
const texts = fc
  .array(fc.oneof(fc.constantFrom(...secrets), prose, prose, glue, fc.string({ unit: 'binary', maxLength: 12 })), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''))

/** A text, cut at any places. */
const split = fc.tuple(texts, fc.array(fc.nat(), { maxLength: 12 })).map(([text, cuts]) => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
  return { text, pieces: places.map((from, at) => text.slice(from, places[at + 1] ?? from)) }
})

describe('a text in pieces', () => {
  const plain = createRedactor(settings)

  test('comes out as the whole one does, wherever it is cut, and a second time unchanged', () => {
    fc.assert(
      fc.property(split, ({ text, pieces }) => {
        const whole = plain.redact(text).text
        expect(stream(pieces).whole).toBe(whole)
        expect(stream([whole]).whole).toBe(whole)
      }),
      { numRuns: 80 },
    )
  })

  test('comes out the same, in whatever order the rules and the stored secrets are', () => {
    const turned = { ...settings, literals: settings.literals.toReversed(), rules: settings.rules.toReversed() }
    fc.assert(
      fc.property(split, ({ pieces }) => {
        expect(stream(pieces, small, turned as unknown as typeof settings).whole).toBe(stream(pieces).whole)
      }),
      { numRuns: 30 },
    )
  })

  test('one character at a time gives nothing of a secret, and the words before it early', () => {
    const before = 'plain words go on and on. '.repeat(40)
    for (const secret of secrets) {
      const { left } = stream([...before, ...secret.slice(0, -1)])
      expect(before.startsWith(left.join(''))).toBe(true)
      expect(left.join('').length).toBeGreaterThan(before.length / 3)
    }
  })

  test('without its end, half a secret stays here', () => {
    const redactor = createStreamRedactor(settings)
    expect(`${redactor.push('word '.repeat(2000))}${redactor.push(secrets[0]?.slice(0, 30) ?? '')}`).not.toContain('ghp_')
  })
})

describe('what is held back', () => {
  test('is bounded: a text without end passes, with what it may have begun', () => {
    const redactor = createStreamRedactor(settings, small)
    let [pushed, left] = [0, 0]
    for (let at = 0; at < 400; at += 1) {
      const piece = `const key${at} = lookUp(token, 'a monkey')\n`
      pushed += piece.length
      left += redactor.push(piece).length
      expect(pushed - left).toBeLessThanOrEqual(small.hold + 3 * 256)
    }
  })

  test('past the bound is withheld with all that follows, and not passed on', () => {
    const redactor = createStreamRedactor(settings, { ...small, hold: 512 })
    const cookie = `Cookie: session=${makeSecret('{a40}')}`
    const tail = makeSecret('{a40}')
    const left = [`${'word '.repeat(200)}${cookie}`, tail.repeat(50), ` and ${tail}`, ' on'].map((piece) => redactor.push(piece))
    const all = [...left, redactor.end()].join('')
    expect(all).toMatch(/^(?:word ){200}Cookie: \[REDACTED:cookie:[0-9a-f]{8}\]$/)
  })
})
