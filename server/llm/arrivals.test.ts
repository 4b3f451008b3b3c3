import type { ModelEvent } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { createArrivals } from './arrivals.ts'

const said = (text: string): ModelEvent => ({ type: 'text', text })
const thought = (text: string): ModelEvent => ({ type: 'reasoning', text })
const ended: ModelEvent = { type: 'end', finish: 'stop' }

it('hands on together what came together, in order, words beside words as one', async () => {
  const arrivals = createArrivals()
  for (const event of [said('a'), said('b'), thought('c'), thought('d'), said('e'), ended]) arrivals.add(event)
  arrivals.end()
  const events: ModelEvent[] = []
  for await (const event of arrivals) events.push(event)
  expect(events).toEqual([said('ab'), thought('cd'), said('e'), ended])
})

it('holds nothing back while nothing comes, and joins what came meanwhile', async () => {
  const arrivals = createArrivals()
  const reader = arrivals[Symbol.asyncIterator]()
  const first = reader.next()
  arrivals.add(said('a'))
  expect((await first).value).toEqual(said('a'))
  arrivals.add(said('b'))
  arrivals.add(said('c'))
  expect((await reader.next()).value).toEqual(said('bc'))
  const last = reader.next()
  arrivals.end()
  expect((await last).done).toBe(true)
})

it('can be left while nothing comes', async () => {
  const arrivals = createArrivals()
  arrivals.add(said('a'))
  for await (const event of arrivals) {
    expect(event).toEqual(said('a'))
    break
  }
})
