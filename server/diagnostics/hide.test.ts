import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createHider } from './hide.ts'

const secret = `stored-${randomBytes(8).toString('hex')}`
const hide = createHider({
  hidden: [
    { text: '/home/ada', stand: '<home>', as: 'path' },
    { text: '/home/ada/data', stand: '<data home>', as: 'path' },
    { text: 'ada', stand: '<user 1>', as: 'word' },
    { text: 'home', stand: '<user 2>', as: 'word' },
    { text: 'Zoë (ops)', stand: '<user 3>', as: 'word' },
    { text: 'a.b*c', stand: '<project 1>', as: 'word' },
    { text: '', stand: '<never>', as: 'word' },
  ],
  secrets: [secret],
  rules: [{ kind: 'text', value: 'Blue Heron' }],
})

describe('what is hidden in a text', () => {
  it.each([
    ['a path, the longest that fits', '/home/ada/data/x and /home/ada/y', '<data home>/x and <home>/y'],
    [
      'a name where it stands alone, in any case',
      'Ada met ADA, not adapter or nada',
      '<user 1> met <user 1>, not adapter or nada',
    ],
    ['a name that is the word of a stand, once', 'at home in /home/ada', 'at <user 2> in <home>'],
    ['a name of other letters and signs', 'by zoë (OPS)', 'by <user 3>'],
    ['a name that reads as a pattern, as it is spelled', 'a.b*c but not axbbc', '<project 1> but not axbbc'],
    ['what could hide something else', 'a\u0000b\u202ec\nd', 'a b c d'],
    ['nothing else', 'SQLite 3.54, WAL', 'SQLite 3.54, WAL'],
  ])('is %s', (_what, text, told) => {
    expect(hide(text)).toBe(told)
  })

  it('is a word that somebody has replaced', () => {
    expect(hide('of Blue Heron.')).toMatch(/^of \[REDACTED:own_text:[0-9a-f]{8}\]\.$/)
  })

  it('is a stored secret in its usual encodings, and one that only looks like a secret', () => {
    for (const form of [secret, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)]) {
      expect(hide(`before ${form} after`)).toMatch(/^before \[REDACTED:stored_secret:\w+\] after$/)
    }
    const key = `ghp_${randomBytes(18).toString('hex')}`
    expect(hide(`token ${key}`)).not.toContain(key)
  })

  it('is hidden at every depth, and keys, numbers and nothing stay as they are', () => {
    expect(hide({ ada: ['ada', { deep: 'ada', n: 1, none: null, yes: true }] })).toEqual({
      ada: ['<user 1>', { deep: '<user 1>', n: 1, none: null, yes: true }],
    })
  })
})
