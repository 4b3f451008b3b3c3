import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { defaultLimits } from '../boundary/index.ts'
import { EventWriter } from './events.ts'

it('a stream with nothing to say is silent for fifteen seconds at most', () => {
  let now = 1
  const written = [now]
  const socket = { writableLength: 0, cork: () => undefined, uncork: () => undefined, write: () => written.push(now) }
  const writer = new EventWriter(socket as unknown as ServerResponse, defaultLimits)
  for (; now < 60_000; now += defaultLimits.reauthoriseMs) writer.beat(now)
  expect(written.length).toBeGreaterThan(4)
  expect(Math.max(...written.map((at, nth) => at - (written[nth - 1] ?? at)))).toBeLessThanOrEqual(15_000)
})
