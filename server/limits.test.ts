import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listLimits, usualLimits } from './limits.ts'

const limitOf = (id: string, given = usualLimits) => listLimits(given).find((line) => line.id === id)?.value

it('names each limit once, with the file that it stands in', () => {
  const lines = listLimits(usualLimits)
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
  for (const { where } of lines) expect(existsSync(join(import.meta.dirname, '..', where)), where).toBe(true)
  for (const { id, value } of lines) expect(value, id).toBeGreaterThan(0)
})

const settable = Object.entries(usualLimits).flatMap(([group, limits]) =>
  Object.entries(limits).flatMap(([field, value]) => (typeof value === 'number' ? [[group, field] as const] : [])),
)

it.each(settable)('lists what the limits of %s say of %s', (group, field) => {
  const own = 123_456_789
  const given = { ...usualLimits, [group]: { ...usualLimits[group as keyof typeof usualLimits], [field]: own } }
  expect(listLimits(given).map(({ value }) => value)).toContain(own)
})

it('spells a limit without rounding it', () => {
  const texts = new Map(listLimits(usualLimits).map(({ id, text }) => [id, text]))
  expect([texts.get('body'), texts.get('run-stop'), texts.get('reset'), texts.get('swallowed')]).toEqual([
    '64 KiB',
    '4,500 ms',
    '24 h',
    '1 MiB',
  ])
})

it('tells what is in force rather than what is usual', () => {
  const given = { ...usualLimits, boundary: { ...usualLimits.boundary, streamsPerUser: 3 } }
  expect(limitOf('streams', given)).toBe(3)
  expect(limitOf('streams')).toBe(usualLimits.boundary.streamsPerUser)
})
