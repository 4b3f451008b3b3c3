import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('lets so many run and so many wait, in order, turns the rest away, and takes new work afterwards', async () => {
  const turn = createTurns({ atOnce: 2, waiting: 3 })
  const begun: number[] = []
  const ends: (() => void)[] = []
  const enter = (name: number) =>
    turn(() => {
      begun.push(name)
      return new Promise<number>((resolve) => ends.push(() => resolve(name)))
    })
  const crowd = [0, 1, 2, 3, 4, 5, 6].map(enter)
  expect(await Promise.all(crowd.slice(5))).toEqual([null, null])
  expect(begun).toEqual([0, 1])
  for (const [name, done] of crowd.slice(0, 5).entries()) {
    ends[name]?.()
    expect(await done).toBe(name)
  }
  expect(begun).toEqual([0, 1, 2, 3, 4])
  const late = enter(7)
  ends[5]?.()
  expect(await late).toBe(7)
})

it('goes on after work that failed', async () => {
  const turn = createTurns({ atOnce: 1, waiting: 1 })
  const fault = new Error('broken')
  const [first, second] = [turn(() => Promise.reject(fault)), turn(async () => 'done')]
  await expect(first).rejects.toBe(fault)
  expect(await second).toBe('done')
})
