/** A reader that does not stop, a program that holds the database, a server that stands still, a clock that jumps. */
import { join } from 'node:path'
import type { CallContext } from '@bridlewise/server'
import { blocks, defineBlock, type Handlers, query } from '@bridlewise/shared'
import { createClient } from '@bridlewise/shared/client'
import { ok } from '@bridlewise/shared/refusals'
import type { BeatDraft } from '@bridlewise/shared/wire'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { OncePerKey } from '../../server/projection/index.ts'
import { measureLog, StorageFault } from '../../server/storage/index.ts'
import { watchLimits } from '../../server/watch/index.ts'
import { need } from '../support/script-client.ts'
import { startTestServer } from '../support/server.ts'
import { addRun, addUser, openTempStore, type TempStore } from '../support/store.ts'

const beat = (bytes: number): BeatDraft => ({
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title: 'x', text: 'y'.repeat(bytes), evidence: [] },
})

const databaseOf = (temp: TempStore) => join(temp.homes.data, 'bridlewise.db')

describe('a program that reads the database and does not stop', () => {
  it('lets the log grow, which shows, and once it has stopped the log shrinks to its bound', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const reader = new Sqlite(databaseOf(temp), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM beats').get()
    const bound = 64 * 2 ** 20
    while (measureLog(temp.homes.data) <= bound + 2 ** 20) await temp.store.ledger.append(scope, beat(2 ** 20))
    expect(temp.store.facts().logBytes).toBeGreaterThan(bound)
    reader.exec('COMMIT')
    reader.close()
    // One write folds the log in, the next begins it anew.
    for (let n = 0; n < 3; n += 1) await temp.store.ledger.append(scope, beat(10))
    expect(measureLog(temp.homes.data)).toBeLessThanOrEqual(bound)
    expect(bound).toBeLessThan(watchLimits.logBytes)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true })
  })
})

describe('a program that holds the database for writing', () => {
  it('keeps a write waiting until it lets go; one that never does is answered in words', { timeout: 30_000 }, async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const other = new Sqlite(databaseOf(temp))
    other.exec('BEGIN IMMEDIATE')
    const failure = await temp.store.ledger.append(scope, beat(10)).catch((error: unknown) => error)
    expect(failure instanceof StorageFault && failure.refusal.code).toBe('storage_busy')
    other.exec('COMMIT')
    expect((await temp.store.ledger.append(scope, beat(10))).seq).toBe(1)
    other.close()
  })

  it('cannot make a transaction fail half-way: it begins as one that writes', async () => {
    await using temp = await openTempStore()
    addRun(temp.store, addUser(temp, 'ann'))
    const other = new Sqlite(databaseOf(temp), { timeout: 0 })
    temp.store.transaction(() => {
      temp.store.acceptances.latest()
      // Nothing was written yet, and already nobody else can.
      expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/locked/)
    })
    other.exec('BEGIN IMMEDIATE; COMMIT')
    other.close()
  })
})

const slow = defineBlock({
  id: 'slow',
  title: 'Slow',
  about: 'Stands still.',
  operations: {
    wait: query({
      path: '/wait',
      title: 'Compute for a while',
      input: z.strictObject({ ms: z.coerce.number() }),
      output: z.object({ done: z.boolean() }),
    }),
  },
})

const standsStill: Handlers<typeof slow, CallContext> = {
  wait: async (_context, { ms }) => {
    const until = performance.now() + ms
    while (performance.now() < until);
    return ok({ done: true })
  },
}

describe('a server that stands still', () => {
  it('notices it, says so in its log, its record and its posture, and answers the others right after', async () => {
    await using server = await startTestServer({ extra: { blocks: [slow], handlers: { slow: standsStill } } })
    const { headers } = await server.signIn()
    const client = createClient([...blocks, slow], { origin: server.url, fetch, headers: () => ({ ...headers }) })
    const line = async () => need(await client.posture.get({})).lines.find(({ id }) => id === 'answers')
    expect(await line()).toMatchObject({ state: 'enforced' })
    const stuck = client.slow.wait({ ms: watchLimits.pauseMs + watchLimits.everyMs + 200 })
    const others = Array.from({ length: 5 }, () => client.health.get({}))
    expect((await Promise.all([stuck, ...others])).every((reply) => reply.ok)).toBe(true)
    await vi.waitFor(async () => expect(await line()).toMatchObject({ state: 'partly' }), 5_000)
    expect((await line())?.evidence).toMatch(/longest pause of the last hour was \d{4} ms/)
    expect(server.log.some((text) => text.includes('the server stood still'))).toBe(true)
    await vi.waitFor(async () => {
      const { events } = need(await client.audit.list({ limit: 50 }))
      expect(events.some(({ kind }) => kind === 'server_blocked')).toBe(true)
    }, 5_000)
  })
})

describe.each([10, -10])('a wall clock that jumps by %i years', (years) => {
  const jump = years * 365 * 86_400_000

  it('leaves the order of the ledger to its numbers, and both times in it', async () => {
    let now = Date.now()
    await using temp = await openTempStore(() => now)
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    await temp.store.ledger.append(scope, beat(1))
    now += jump
    await temp.store.ledger.append(scope, beat(2))
    const beats = temp.store.ledger.list(scope, { limit: 9 }).items
    expect(beats.map(({ seq }) => seq)).toEqual([1, 2])
    expect((beats[1]?.at ?? 0) - (beats[0]?.at ?? 0)).toBe(jump)
    const store = await temp.reopen()
    expect(await store.ledger.verify()).toMatchObject({ valid: true, entries: 2 })
  })

  it('makes no repeated call do its work twice while the server runs', async () => {
    let now = Date.now()
    await using temp = await openTempStore(() => now)
    const owner = addUser(temp, 'ann')
    const once = new OncePerKey(temp.store.idempotency, () => now)
    let done = 0
    const call = () =>
      once.run({ owner, operation: 'run.start', key: 'a-key-of-a-call', input: {}, keep: 'key' as const }, async () => {
        done += 1
        return ok(done)
      })
    expect(await call()).toEqual(ok(1))
    now += jump
    expect(await call()).toEqual(ok(1))
    expect(done).toBe(1)
  })
})
