import { expect, it } from 'vitest'
import { gather } from './gather.ts'

const nothing = () => undefined

async function* burst(count: number): AsyncGenerator<number> {
  for (let at = 0; at < count; at += 1) yield at
}

it('hands on together what came together, and loses nothing', async () => {
  const batches: number[][] = []
  for await (const batch of gather(burst(1_000), nothing)) batches.push([...batch])
  expect(batches.flat()).toEqual(Array.from({ length: 1_000 }, (_, at) => at))
  expect(batches.length).toBeLessThan(10)
})

it('holds nothing back while the source is silent', async () => {
  const more = Promise.withResolvers<void>()
  async function* slow() {
    yield 'first'
    await more.promise
    yield 'second'
  }
  const batches = gather(slow(), nothing)
  expect((await batches.next()).value).toEqual(['first'])
  const second = batches.next()
  more.resolve()
  expect((await second).value).toEqual(['second'])
  expect((await batches.next()).done).toBe(true)
})

it('tells of a failure after what came before it', async () => {
  async function* broken() {
    yield 1
    throw new Error('gone')
  }
  const seen: number[] = []
  const reading = (async () => {
    for await (const batch of gather(broken(), nothing)) seen.push(...batch)
  })()
  await expect(reading).rejects.toThrow('gone')
  expect(seen).toEqual([1])
})

it('notes each arrival at once, however busy the reader is', async () => {
  let arrivals = 0
  const batches = gather(burst(50), () => {
    arrivals += 1
  })
  await batches.next()
  await new Promise((resolve) => setImmediate(resolve))
  expect(arrivals).toBe(50)
  await batches.return(undefined)
})

it('can be left while the source is silent', async () => {
  async function* stalled() {
    yield 1
    await new Promise(() => undefined)
  }
  const seen: number[] = []
  for await (const batch of gather(stalled(), nothing)) {
    seen.push(...batch)
    break
  }
  expect(seen).toEqual([1])
})
