import { expect, it } from 'vitest'
import { openTempStore } from '../../tests/support/store.ts'
import { growth } from './growth.ts'

it('names every table that there is, once, and says what bounds it', async () => {
  await using temp = await openTempStore()
  const tables = temp.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  const places = growth.map(({ place }) => place)
  expect(new Set(places).size).toBe(places.length)
  expect(places).toEqual(expect.arrayContaining(tables.map(({ name }) => name)))
  expect(places.filter((place) => /^\w+$/.test(place) && !tables.some(({ name }) => name === place))).toEqual([])
})
