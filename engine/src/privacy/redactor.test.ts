import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { containsPlaceholder, createRedactor, findPlaceholders } from './index.ts'

const salt = 'a salt for this test only'
const githubToken = () => `ghp_${randomBytes(18).toString('hex')}`

describe('placeholders', () => {
  const token = githubToken()

  test('the same secret has the same placeholder throughout a run, another secret another one', () => {
    const { text, counts } = createRedactor({ salt }).redact(`${token} ${githubToken()} ${token}`)
    const [first, second, third] = findPlaceholders(text)
    expect(first).toBe(third)
    expect(first).not.toBe(second)
    expect(counts).toEqual({ github_token: 3 })
  })

  test('another run has other placeholders', () => {
    const here = createRedactor({ salt }).redact(token).text
    const there = createRedactor({ salt: 'another salt for this test' }).redact(token).text
    expect(here).not.toBe(there)
  })

  test('a salt that could be guessed is a fault', () => {
    expect(() => createRedactor({ salt: 'short' })).toThrow(RangeError)
  })

  test('a forged placeholder neither hides a secret beside it nor is taken for one', () => {
    const forged = '[REDACTED:github_token:00000000]'
    const { text, counts } = createRedactor({ salt }).redact(`password=${forged} ${forged}${token} [REDACTED:1]`)
    expect(text.startsWith(`password=${forged} ${forged}[REDACTED:`)).toBe(true)
    expect(text.endsWith(' [REDACTED:1]')).toBe(true)
    expect(counts).toEqual({ github_token: 1 })
    expect(containsPlaceholder('[REDACTED:1]')).toBe(false)
  })
})

describe('stored secrets', () => {
  const secret = 'Quartz+River/77 lamp'
  const redactor = createRedactor({ salt, literals: [secret] })

  test.each([
    ['as it is', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in upper-case hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 after one byte', Buffer.from(`:${secret}`).toString('base64')],
    ['in base64 after two bytes and before others', Buffer.from(`me:${secret}:x`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`user:${secret}`).toString('base64url')],
    [
      'in a URL with small hex digits',
      encodeURIComponent(secret).toLowerCase().replace('quartz', 'Quartz').replace('river', 'River'),
    ],
    ['in a URL in a URL', encodeURIComponent(encodeURIComponent(secret))],
    ['in HTML', secret.replaceAll('+', '&#43;').replaceAll('/', '&#x2F;')],
    ['in an escaped JSON string', secret.replaceAll('/', '\\/').replaceAll('+', '\\u002b')],
    ['with a colour inside', `${secret.slice(0, 9)}\u001b[31m${secret.slice(9)}`],
  ])('are found %s', (_form, form) => {
    const { text, counts } = redactor.redact(`before ${form} after`)
    expect(text).toMatch(/^before \S{0,8}\[REDACTED:stored_secret:[0-9a-f]{8}\]\S{0,8} after$/)
    expect(counts).toEqual({ stored_secret: 1 })
  })

  test('are taken literally, whatever signs they hold', () => {
    const signs = createRedactor({ salt, literals: ['a.c*(d)[e]|f$'] })
    expect(signs.redact('x a.c*(d)[e]|f$ y').counts).toEqual({ stored_secret: 1 })
    expect(signs.redact('x abcc(d)[e]|f$ y').counts).toEqual({})
  })

  test('of one that contains another the longer is found', () => {
    const both = createRedactor({ salt, literals: ['lamp-post', 'lamp-post-in-the-rain'] })
    expect(both.redact('a lamp-post-in-the-rain').text).toMatch(/^a \[REDACTED:stored_secret:[0-9a-f]{8}\]$/)
  })

  test('with other letters and signs they are found as JSON writes them, too', () => {
    const other = createRedactor({ salt, literals: ['Schlüssel "A"\\7'] })
    const ascii = 'Schl\\u00fcssel \\"A\\"\\\\7'
    for (const form of ['Schlüssel "A"\\7', JSON.stringify('Schlüssel "A"\\7').slice(1, -1), ascii]) {
      expect(other.redact(`{"x":"${form}"}`).text).toMatch(/^\{"x":"\[REDACTED:stored_secret:[0-9a-f]{8}\]"\}$/)
    }
  })

  test('two that overlap leave nothing of either', () => {
    const both = createRedactor({ salt, literals: ['first-part-shared', 'shared-part-last'] })
    expect(both.redact('a first-part-shared-part-last z').text).toMatch(/^a \[REDACTED:stored_secret:[0-9a-f]{8}\] z$/)
  })

  test('a long one is found as fast as a short one, and whole', () => {
    const long = Array.from({ length: 200 }, (_, line) => `line ${line} of a key`).join('\n')
    const { text } = createRedactor({ salt, literals: [long] }).redact(`a ${Buffer.from(long).toString('base64')} z`)
    expect(text).toMatch(/^a \[REDACTED:stored_secret:[0-9a-f]{8}\]\S{0,4} z$/)
  })

  test.each([
    ['an empty one', ''],
    ['a short one', 'short'],
    ['a common word', 'Password'],
    ['one character over and over', 'aaaaaaaaaa'],
  ])('%s is not looked for, or texts would fall apart', (_name, literal) => {
    const text = 'The Password of a short story: aaaaaaaaaaaa.'
    expect(createRedactor({ salt, literals: [literal] }).redact(text)).toEqual({ text, counts: {} })
  })
})

describe('for any text', () => {
  const secrets = [githubToken(), `AKIA${'Q7Z3'.repeat(4)}`, 'postgres://me:s3cr3t-w0rd@db/x', 'DB_PASSWORD=hunter2hunter']
  const glue = fc.constantFrom(
    '',
    ' ',
    '\n',
    '"',
    '\\n',
    '\u001b[1m',
    '\u200b',
    '=',
    ': ',
    '&',
    '[REDACTED:x:00000000]',
    'password=',
    '/',
  )
  const piece = fc.oneof(
    fc.constantFrom(...secrets),
    glue,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constant('stored-literal-1'),
  )
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const redactor = createRedactor({ salt, literals: ['stored-literal-1'] })

  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactor.redact(text).text
        expect(redactor.redact(once)).toEqual({ text: once, counts: {} })
      }),
      { numRuns: 1000 },
    )
  })

  test('what is not a placeholder stood there before, in this order', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: redacted } = redactor.redact(text)
        let from = 0
        for (const part of redacted.split(/\[REDACTED:[a-z_]+:[0-9a-f]{8}\]/)) {
          const at = text.indexOf(part, from)
          expect(at).toBeGreaterThanOrEqual(from)
          from = at + part.length
        }
      }),
      { numRuns: 500 },
    )
  })

  test('nothing is counted exactly when nothing is changed', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: redacted, counts } = redactor.redact(text)
        expect(redacted === text).toBe(Object.keys(counts).length === 0)
      }),
    )
  })
})
