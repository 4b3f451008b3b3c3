/** Five hundred open streams: what one costs, what a reader that stands still costs the others, and when it is dropped. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { CallContext } from '@bridlewise/server'
import { defineBlock, type Handlers, stream } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { z } from 'zod'
import { rawRequest } from '../support/raw-http.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'
import { type Figure, interleave, median } from './measure.ts'

const count = 500
const ticks = 25
const tickMs = 20

const frame = z.object({ number: z.number(), kind: z.literal('tick'), text: z.string() })
const streamed = defineBlock({
  id: 'streamed',
  title: 'Streamed',
  about: 'Streams for a bench.',
  operations: {
    ticks: stream({ path: '/ticks', title: 'Ticks', input: z.strictObject({}), frame }),
    flood: stream({ path: '/flood', title: 'Flood', input: z.strictObject({}), frame }),
  },
})

export async function benchStreams(): Promise<Figure[]> {
  const seen = { floodBytes: 0 }
  let next = Promise.withResolvers<object>()
  let number = 0
  const tick = () => {
    number += 1
    const before = next
    next = Promise.withResolvers()
    before.resolve({ number, kind: 'tick', text: String(performance.now()) })
  }
  const handlers: Handlers<typeof streamed, CallContext> = {
    ticks: async ({ signal }) =>
      ok(
        (async function* () {
          const ended = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)))
          for (;;) {
            const given = await Promise.race([next.promise, ended])
            if (given === null) return
            yield given as z.infer<typeof frame>
          }
        })(),
      ),
    flood: async ({ signal }) =>
      ok(
        (async function* () {
          const text = 'x'.repeat(65_536)
          for (let at = 1; !signal.aborted; at += 1) {
            seen.floodBytes += text.length
            yield { number: at, kind: 'tick' as const, text }
          }
        })(),
      ),
  }
  const limits = { streamsPerUser: 600, streamsPerThing: 600, streamsInAll: 600 }
  const extra = { blocks: [streamed], handlers: { streamed: handlers } } as const
  await using server = await startTestServer({ limits, extra, replies: 'trusted' })
  const session = await server.signIn()

  const before = memory()
  const lags: number[] = []
  const readers = await Promise.all(Array.from({ length: count }, () => open(server, session, 'ticks')))
  const perStream = (memory() - before) / count
  for (const reader of readers.slice(0, 20)) {
    reader.on('data', (chunk: Buffer) => {
      const sent = /"text":"([\d.]+)"/.exec(chunk.toString())?.[1]
      if (sent) lags.push(performance.now() - Number(sent))
    })
  }
  const lagOf = async () => {
    lags.length = 0
    for (let at = 0; at < ticks; at += 1) {
      tick()
      await wait(tickMs)
    }
    return median(lags)
  }
  await lagOf()
  const lag = await interleave(
    2,
    async () => {
      const standing = await open(server, session, 'flood')
      standing.pause()
      const measured = await lagOf()
      standing.destroy()
      return measured
    },
    lagOf,
  )
  seen.floodBytes = 0
  const standing = await open(server, session, 'flood')
  standing.pause()
  await lagOf()
  const taken = seen.floodBytes
  for (const reader of [...readers, standing]) reader.destroy()
  return [
    { name: `memory of one of ${count} streams, reader included`, value: perStream, unit: 'bytes' },
    {
      name: `a frame to ${count} streams, one more reader standing still`,
      value: lag.ours,
      unit: 'ms',
      beside: { name: 'without it', value: lag.yardstick },
      goal: '≤ 1.1 ×',
    },
    { name: 'bytes made for the one that stands still, kernel included', value: taken, unit: 'bytes' },
  ]
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A reader over a bare socket, once its first bytes are here. */
function open({ port }: TestServer, session: Session, name: string): Promise<Socket> {
  const headers = Object.entries(session.headers).map(([header, value]) => `${header}: ${value}`)
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(rawRequest(port, { line: `GET /api/streamed/${name} HTTP/1.1`, headers }))
    })
    socket.once('data', (chunk) =>
      chunk.includes(' 200 ') ? resolve(socket) : reject(new Error(`no stream: ${chunk.toString().slice(0, 40)}`)),
    )
    socket.on('error', reject)
    socket.on('data', () => undefined)
  })
}
