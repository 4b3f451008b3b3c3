import { expect, it } from 'vitest'
import { hiddenLast, nameOfPath } from './directory-names.ts'

it.each([
  ['/home/ada/web', 'web'],
  ['/home/ada/web/', 'web'],
  ['C:\\work\\api', 'api'],
  ['/', ''],
])('%s suggests the name %o', (path, name) => {
  expect(nameOfPath(path)).toBe(name)
})

it('lists hidden directories after the others, each in their own order', () => {
  const names = ['.a', 'z', '.b', 'c'].map((name) => ({ name }))
  expect(hiddenLast(names).map(({ name }) => name)).toEqual(['z', 'c', '.a', '.b'])
})
