import { expect, it } from 'vitest'
import { createAttempt } from './attempt.ts'

function attemptWithKeys() {
  let made = 0
  return createAttempt(() => {
    made += 1
    return `key-${made}`
  })
}

it('keeps the key of what got no answer, as long as the wish is the same', () => {
  const attempt = attemptWithKeys()
  expect([attempt.keyFor({ prompt: 'a' }), attempt.keyFor({ prompt: 'a' }), attempt.keyFor({ prompt: 'b' })]).toEqual([
    'key-1',
    'key-1',
    'key-2',
  ])
})

it('takes a fresh key once the server has answered', () => {
  const attempt = attemptWithKeys()
  attempt.keyFor({ prompt: 'a' })
  attempt.answered()
  expect(attempt.keyFor({ prompt: 'a' })).toBe('key-2')
})
