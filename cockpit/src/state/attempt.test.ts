import { ok } from '@bridlewise/shared/refusals'
import { expect, it } from 'vitest'
import { callOnce, createAttempt } from './attempt.ts'

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

it('sends what is asked twice at once under one key, and the next wish under another', async () => {
  const attempt = attemptWithKeys()
  const keys: string[] = []
  const call = async ({ idempotencyKey }: { idempotencyKey: string }) => ok(keys.push(idempotencyKey))
  await Promise.all([callOnce(attempt, { prompt: 'a' }, call), callOnce(attempt, { prompt: 'a' }, call)])
  await callOnce(attempt, { prompt: 'a' }, call)
  expect(keys).toEqual(['key-1', 'key-1', 'key-2'])
})
