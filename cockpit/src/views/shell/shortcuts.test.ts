import { expect, it } from 'vitest'
import { createKeyReader } from './shortcuts.ts'

it('reads single keys, and two keys that begin with g as one', () => {
  const reader = createKeyReader()
  const typed = [
    ['j', 0],
    ['g', 10],
    ['t', 400],
    ['t', 500],
  ] as const
  expect(typed.map(([key, at]) => reader.read(key, at))).toEqual(['j', null, 'g t', 't'])
})

it('forgets a g that nothing followed in time', () => {
  const reader = createKeyReader()
  reader.read('g', 0)
  expect(reader.read('t', 5000)).toBe('t')
})
