import { expect, it } from 'vitest'
import { createStreamSlots } from './stream-slots.ts'

it('gives three slots to all tabs together, and a freed one to the next', async () => {
  const tabs = Array.from({ length: 4 }, () => createStreamSlots(navigator.locks))
  const taken = []
  for (const take of tabs) taken.push(await take())
  expect(taken.map((release) => release !== null)).toEqual([true, true, true, false])

  taken[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  const freed = await tabs[3]?.()
  expect(freed).not.toBeNull()
  for (const release of [taken[1], taken[2], freed]) release?.()
})

it('does not limit a browser that has no locks', async () => {
  const take = createStreamSlots(undefined)
  expect(await Promise.all([take(), take(), take(), take()])).not.toContain(null)
})
