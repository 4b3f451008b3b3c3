/** Streams against readers that stand still, come in crowds, lose their right, or leave. */
import { connect } from 'node:net'
import type { CallContext, defaultLimits } from '@bridlewise/server'
import { defineBlock, type Handlers, stream } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { join } from '../support/people.ts'
import { rawRequest } from '../support/raw-http.ts'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

const flood = defineBlock({
  id: 'flood',
  title: 'Flood',
  about: 'A stream that a test controls.',
  operations: {
    watch: stream({
      path: '/watch',
      title: 'Watch',
      input: z.strictObject({ bytes: z.coerce.number().int().default(0) }),
      frame: z.object({ number: z.number(), kind: z.literal('tick'), text: z.string() }),
    }),
    quiet: stream({
      path: '/quiet',
      title: 'Say nothing',
      input: z.strictObject({}),
      frame: z.object({ number: z.number(), kind: z.literal('tick') }),
    }),
    breaks: stream({
      path: '/breaks',
      title: 'Break after one frame',
      input: z.strictObject({}),
      frame: z.object({ number: z.number(), kind: z.literal('tick') }),
    }),
  },
})

/** A server with a stream whose frames are `bytes` long and never end, or with none stays silent until its reader has gone. */
async function floodServer(limits: Partial<typeof defaultLimits> = {}) {
  const seen = { taken: 0, left: Promise.withResolvers<void>() }
  const handlers: Handlers<typeof flood, CallContext> = {
    watch: async (context, { bytes }) => {
      context.signal.addEventListener('abort', () => seen.left.resolve())
      return ok(
        (async function* () {
          if (bytes === 0) await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
          for (let number = 1; !context.signal.aborted; number += 1) {
            seen.taken += 1
            yield { number, kind: 'tick' as const, text: 'x'.repeat(bytes) }
          }
        })(),
      )
    },
    quiet: async ({ signal }) => ok(untilAborted(signal)),
    breaks: async () =>
      ok(
        (async function* () {
          yield { number: 1, kind: 'tick' as const }
          throw new Error('the feed broke')
        })(),
      ),
  }
  const server = await startTestServer({ limits, extra: { blocks: [flood], handlers: { flood: handlers } } })
  return { server, seen, session: await server.signIn() }
}

/** No frame, and no end before the reader has gone. */
async function* untilAborted(signal: AbortSignal): AsyncGenerator<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** A reader that asks for an endless stream and takes nothing of it. */
function standStill(server: TestServer, session: Session) {
  const headers = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(server.port, '127.0.0.1', () => {
    socket.pause()
    socket.write(rawRequest(server.port, { line: 'GET /api/flood/watch?bytes=65536 HTTP/1.1', headers }))
  })
  socket.on('error', () => undefined)
  return {
    /** Settles when the server has stopped taking frames for it. */
    async full(seen: { readonly taken: number }): Promise<void> {
      for (let before = -1; seen.taken === 0 || seen.taken > before; ) {
        before = seen.taken
        await fetch(`${server.url}/api/health`)
      }
    },
    get dropped() {
      return socket.closed
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

const watch = (url: string, session: Session, signal?: AbortSignal) =>
  fetch(`${url}/api/flood/watch`, { headers: session.headers, ...(signal ? { signal } : {}) })

const stillHere = ': still here\n\n'

it('takes no more frames than a standing reader has room for, and drops it', async () => {
  const { server, seen, session } = await floodServer({ streamBacklogBytes: 256 * 1024, streamStallMs: 300 })
  await using _ = server
  using _standing = standStill(server, session)
  await seen.left.promise
  // What the kernel buffers comes on top of the limit; it is megabytes, and the stream was endless.
  expect(seen.taken * 65_536).toBeLessThan(64 * 1024 * 1024)
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
})

it('gives a user a bounded number of streams, and the place back when one ends', async () => {
  const { server, session } = await floodServer({ streamsPerUser: 3 })
  await using _ = server
  const leave = new AbortController()
  const open = await Promise.all([1, 2, 3].map(() => watch(server.url, session, leave.signal)))
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
  const refused = await watch(server.url, session)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ refusal: { code: 'streams_too_many', details: { limit: 3 } } })

  leave.abort()
  let again = await watch(server.url, session)
  while (again.status === 429) again = await watch(server.url, session)
  expect(again.status).toBe(200)
  await again.body?.cancel()
})

it('gives one thing a bounded number of streams, and everybody together', async () => {
  const { server, session } = await floodServer({ streamsPerThing: 2, streamsInAll: 3 })
  await using _ = server
  const other = await join(server, session, { username: 'eve' })
  const open = await Promise.all([watch(server.url, session), watch(server.url, session)])
  expect(open.map(({ status }) => status)).toEqual([200, 200])
  // Another query is the same thing; another path is not.
  const third = await fetch(`${server.url}/api/flood/watch?bytes=1`, { headers: session.headers })
  expect(await third.json()).toMatchObject({ refusal: { code: 'streams_too_many', details: { limit: 2 } } })
  // What somebody else watches plays no part in it: else a no would tell that there is something.
  const theirs = await watch(server.url, other)
  expect(theirs.status).toBe(200)
  const quiet = () => fetch(`${server.url}/api/flood/quiet`, { headers: other.headers })
  expect(await (await quiet()).json()).toMatchObject({ refusal: { code: 'streams_too_many', details: { limit: 3 } } })
  expect((await fetch(`${server.url}/api/account/session`, { headers: other.headers })).status).toBe(200)
})

it('delays nobody while a reader stands still', async () => {
  const { server, seen, session } = await floodServer({ streamBacklogBytes: 256 * 1024, streamStallMs: 60_000 })
  await using _ = server
  const other = await join(server, session, { username: 'eve' })
  using standing = standStill(server, session)
  await standing.full(seen)
  const response = await fetch(`${server.url}/api/flood/watch?bytes=1024`, { headers: other.headers })
  let events = 0
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    events += chunk.split('\n\n').length - 1
    if (events >= 2_000) break
  }
  expect(events).toBeGreaterThanOrEqual(2_000)
  // The standing one has its place still: the other got all that beside it, not after it.
  expect(standing.dropped).toBe(false)
})

it('ends for a caller who signed out, and stays open for one who did not', async () => {
  const { server, session } = await floodServer({ reauthoriseMs: 20, heartbeatMs: 40 })
  await using _ = server
  const other = await server.signIn()
  const [mine, theirs] = await Promise.all([watch(server.url, session), watch(server.url, other)])
  const ended = mine.text()
  await fetch(`${server.url}/api/account/logout`, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': 'application/json' },
    body: '{}',
  })
  expect((await ended).replaceAll(stillHere, '')).toBe('')
  expect((await watch(server.url, session)).status).toBe(401)
  const reader = theirs.body?.getReader()
  await reader?.read()
  expect(await reader?.read()).toMatchObject({ done: false })
})

it('tells the feed when its reader has left', async () => {
  const { server, seen, session } = await floodServer()
  await using _ = server
  const leave = new AbortController()
  await watch(server.url, session, leave.signal)
  leave.abort()
  await seen.left.promise
})

it('shows that it is alive when there is nothing to say', async () => {
  const { server, session } = await floodServer({ reauthoriseMs: 20, heartbeatMs: 40 })
  await using _ = server
  const response = await watch(server.url, session)
  const chunk = await response.body?.getReader().read()
  expect(new TextDecoder().decode(chunk?.value)).toBe(stillHere)
})

it('breaks off without an end when the feed breaks, and logs it once', async () => {
  const { server, session } = await floodServer()
  await using _ = server
  const response = await fetch(`${server.url}/api/flood/breaks`, { headers: session.headers })
  await expect(response.text()).rejects.toThrow()
  expect(server.log.filter((line) => line.includes('the feed broke'))).toHaveLength(1)
})

it('is ended when the server stops', async () => {
  const { server, session } = await floodServer()
  const response = await watch(server.url, session)
  const ended = response.text()
  await server[Symbol.asyncDispose]()
  expect(await ended).toBe('')
})
