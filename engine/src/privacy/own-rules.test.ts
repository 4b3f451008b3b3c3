/** What a person adds is found like everything else, and no pattern can make the redactor slow. */
import { describe, expect, test } from 'vitest'
import { checkOwnRule, createRedactor, type OwnRule, ownRuleLimits } from './index.ts'
import { attemptAllowance } from './scan.ts'

const salt = 'a salt for this test only'
const redact = (rule: OwnRule, text: string) => createRedactor({ salt, rules: [rule] }).redact(text)

describe('a text', () => {
  const rule: OwnRule = { kind: 'text', value: 'Project Heron' }

  test.each([
    ['as it is', 'about Project Heron.'],
    ['in a URL', '?q=Project%20Heron'],
    ['in base64', Buffer.from('Project Heron').toString('base64')],
    ['with an invisible character inside', 'Proj\u200bect Heron'],
  ])('is replaced %s', (_form, text) => {
    expect(redact(rule, text).counts).toEqual({ own_text: 1 })
  })

  test('in other letters stays', () => {
    expect(redact(rule, 'about project heron').counts).toEqual({})
  })

  test('is what it is, whatever signs it holds', () => {
    expect(redact({ kind: 'text', value: 'a.*(b' }, 'a.*(b axx(b').counts).toEqual({ own_text: 1 })
  })
})

describe('a pattern', () => {
  test.each([
    ['ACME-[A-Z0-9]{8}', 'see ACME-A1B2C3D4.', 'see ACME-a1b2c3d4.'],
    ['invoice \\d{4,6}', 'invoice 12345', 'invoice 123'],
    ['db\\.prod\\d?\\.corp', 'db.prod7.corp', 'dbxprod7.corp'],
    ['cust_[a-f\\d_-]{3}.\\w', 'cust_a-1!x', 'cust_xyz!x'],
    ['key\\[\\d\\]', 'key[7]', 'key7'],
  ])('%s takes %s and leaves %s', (value, taken, left) => {
    const rule: OwnRule = { kind: 'pattern', value }
    expect(checkOwnRule(rule).ok).toBe(true)
    expect(redact(rule, taken).counts).toEqual({ own_pattern: 1 })
    expect(redact(rule, left)).toEqual({ text: left, counts: {} })
  })

  test.each([
    ['open repetition', 'ACME-\\d+', /at character 8, write how often at most/],
    ['a star', 'ACME-.*', /\{1,40\}/],
    ['a group', 'ACME-(a|b)', /add one rule for each/],
    ['no fixed beginning', '[A-Z]{3}-\\d{4}', /at least 3 fixed characters/],
    ['a beginning that may be absent', 'AB?C-\\d{4}', /at least 3 fixed characters/],
    ['letters that fold', 'şifre-\\d{4}', /ASCII/],
    ['repetition without end', 'ACME-\\d{1,999}', /at most 256/],
    ['repetition the wrong way round', 'ACME-\\d{5,2}', /repeat/],
    ['too much left open', 'ACME-\\w{0,20}\\w{0,20}x', /narrower/],
    ['too long a reach', 'ACME-\\d{256}\\d{256}', /more than 512/],
    ['a look around', 'ACME-(?=x)', /groups/],
    ['an escape of another language', 'ACME-\\p{L}', /not understood/],
    ['a class that says what is not in it', 'ACME-[^a]{3}', /not understood/],
    ['a class that does not end', 'ACME-[a', /write \\\[/],
    ['an anchor', 'ACME-\\d$', /write \\\$/],
    ['nothing', '', /at least 3/],
    ['too long a text', 'a'.repeat(ownRuleLimits.longest + 1), /more than 200/],
  ])('with %s is refused, and says why', (_what, value, problem) => {
    const checked = checkOwnRule({ kind: 'pattern', value })
    expect(checked).toMatchObject({
      ok: false,
      refusal: { code: 'redaction_invalid', message: expect.stringMatching(problem) },
    })
    expect(() => createRedactor({ salt, rules: [{ kind: 'pattern', value: `${value}${'('.repeat(201)}` }] })).toThrow(RangeError)
  })

  test.each([
    ['too short', 'abc', /at least 4/],
    ['with a space at its end', 'heron ', /space/],
  ])('a text %s is refused', (_what, value, problem) => {
    expect(checkOwnRule({ kind: 'text', value })).toMatchObject({ refusal: { message: expect.stringMatching(problem) } })
  })

  test('as open as one may be, met where it nearly fits everywhere, withholds sooner than it takes long', () => {
    const rule: OwnRule = { kind: 'pattern', value: 'aaa[ab]{0,15}[ab]{0,15}c' }
    expect(checkOwnRule(rule).ok).toBe(true)
    const { text, counts } = redact(rule, 'a'.repeat(64 * 1024))
    expect(counts).toEqual({ withheld: 1 })
    expect(text.length).toBeLessThan((attemptAllowance.base / (1 - attemptAllowance.perCharacter)) * 2)
  })
})
