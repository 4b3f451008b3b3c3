import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Beat } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { codeOf, endOf, mustOk, openRunHouse, type RunRoom } from '../../tests/support/run-room.ts'
import { answers, answersWith, calls, finishes, says, streams, uses } from '../../tests/support/script.ts'
import { nanosPerDollar } from './amounts.ts'
import { setCeilings, usualCeilings } from './ceilings.ts'
import { setPrice } from './prices.ts'

const none = { nanos: null, tokens: null, calls: null, ms: null }
const unlimited = { run: none, chat: none, project: none, day: none }
type Limits = Partial<Record<keyof typeof unlimited, Partial<typeof none | Record<keyof typeof none, number>>>>

function limit(room: RunRoom, limits: Limits): void {
  const one = (scope: keyof typeof unlimited) => ({ ...none, ...limits[scope] })
  const ceilings = { run: one('run'), chat: one('chat'), project: one('project'), day: one('day') }
  mustOk(setCeilings(room.store, room.owner, ceilings))
}

/** One dollar for a million tokens in, a tenth of it from the cache, four for a million out. */
function price(room: RunRoom): void {
  setPrice(room.store, room.owner, { kind: 'custom', model: 'scripted', input: 1, cached: 0.1, output: 4 })
}

function beatsOf(room: RunRoom, runId: string): readonly Beat[] {
  return room.store.ledger.list(room.owner, { runId, limit: 500 }).items
}

function chargesOf(room: RunRoom, runId: string) {
  return beatsOf(room, runId).flatMap((beat) => (beat.kind === 'response' && beat.payload.charge ? [beat.payload.charge] : []))
}

const cachedUsage = {
  type: 'usage',
  usage: { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 800 } },
  choices: 'empty',
} as const

describe('what a request comes to', () => {
  it('stands in the ledger and in the sums, and the cached part is billed once', async () => {
    await using house = await openRunHouse([streams([says('ok'), finishes('stop'), cachedUsage])])
    const { room } = house
    price(room)
    const run = mustOk(await room.start({}))
    await room.watch(run.id)
    const nanos = (200 * 1 + 800 * 0.1 + 50 * 4) * 1000
    const tokens = { inputTokens: 1000, cachedTokens: 800, outputTokens: 50 }
    expect(chargesOf(room, run.id)).toEqual([{ ...tokens, nanos, estimated: false, ms: expect.any(Number) }])
    const sum = { ...tokens, nanos, unpriced: 0, calls: 1, estimated: 0 }
    expect(room.store.charges.sum(room.owner, { runId: run.id })).toMatchObject(sum)
    expect(room.store.charges.sum(room.owner, { chatId: run.chatId })).toMatchObject(sum)
  })

  it('is unknown where the price is, and never 0', async () => {
    await using house = await openRunHouse([answersWith('ok')])
    const { room } = house
    const run = mustOk(await room.start({}))
    await room.watch(run.id)
    expect(chargesOf(room, run.id)).toMatchObject([{ nanos: null, inputTokens: 100 }])
    expect(room.store.charges.sum(room.owner, { runId: run.id })).toMatchObject({ nanos: 0, unpriced: 1 })
  })

  it('is guessed where the endpoint does not say, and nothing where it refused', async () => {
    await using house = await openRunHouse([streams([says('x'.repeat(400)), finishes('stop')]), answers(401, 'no')])
    const { room } = house
    price(room)
    const said = mustOk(await room.start({}))
    await room.watch(said.id)
    expect(chargesOf(room, said.id)).toMatchObject([{ estimated: true, outputTokens: 100 }])
    expect(chargesOf(room, said.id)[0]?.inputTokens).toBeGreaterThan(10)
    const refused = mustOk(await room.start({}))
    await room.watch(refused.id)
    expect(chargesOf(room, refused.id)).toMatchObject([{ nanos: 0, inputTokens: 0, outputTokens: 0 }])
  })

  it('is guessed from what was sent when the server died before the answer', async () => {
    await using house = await openRunHouse([{ answer: { kind: 'silence' } }])
    const { room, endpoint } = house
    price(room)
    const run = mustOk(await room.start({}))
    while (endpoint.received.length === 0) await nextTurn()
    await room.restart()
    await room.runs.recover()
    const { egress } = beatsOf(room, run.id).flatMap((beat) => (beat.kind === 'request' ? [beat.payload] : []))[0] ?? {}
    const inputTokens = Math.ceil((egress?.bytes ?? 0) / 4)
    expect(chargesOf(room, run.id)).toMatchObject([{ estimated: true, inputTokens, nanos: inputTokens * 1000 }])
    expect(room.store.charges.sum(room.owner, { runId: run.id })).toMatchObject({ calls: 1, inputTokens })
    expect(await room.store.ledger.verify()).toMatchObject({ valid: true })
  })
})

describe('a ceiling', () => {
  const reads = () => streams([calls('read_file', { path: 'notes.txt' }), finishes('tool_calls'), uses(20_000, 100)])

  it.each<[string, Limits, number]>([
    ['money of a run', { run: { nanos: 0.03 * nanosPerDollar } }, 1],
    ['tokens of a chat', { chat: { tokens: 12_000 } }, 1],
    ['calls of a project', { project: { calls: 2 } }, 2],
    ['calls of a day', { day: { calls: 1 } }, 1],
    ['time of a run', { run: { ms: 0 } }, 0],
  ])('of %s stops before the request that would pass it, and the chat goes on once it is raised', async (_what, limits, sent) => {
    const steps = (_: unknown, count: number) => (count < 3 ? reads() : answersWith('done'))
    await using house = await openRunHouse(steps)
    const { room, endpoint } = house
    price(room)
    limit(room, limits)
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    const ended = endOf(await room.watch(run.id))
    const [scope] = Object.keys(limits)
    expect(ended?.outcome).toMatchObject({
      kind: 'failed',
      steps: sent,
      refusal: {
        code: 'budget_exceeded',
        fix: 'user',
        details: { scope, used: expect.any(String), projected: expect.any(String) },
      },
    })
    expect(endpoint.received).toHaveLength(sent)
    expect(beatsOf(room, run.id).filter(({ kind }) => kind === 'result')).toHaveLength(sent)

    limit(room, {})
    const next = mustOk(await room.runs.continueRun({ ...room.owner, id: run.id, idempotencyKey: null }))
    expect(endOf(await room.watch(next.id))?.status).toBe('completed')
    expect(room.faults).toEqual([])
  })

  it('of money is never kept silently without a price: it needs one of tokens beside it', async () => {
    await using house = await openRunHouse(() => answersWith('ok'))
    const { room, endpoint } = house
    const endWith = async () => endOf(await room.watch(mustOk(await room.start({})).id))
    limit(room, { day: { nanos: nanosPerDollar } })
    expect((await endWith())?.outcome).toMatchObject({ refusal: { code: 'price_unknown', details: { scope: 'day' } } })
    expect(endpoint.received).toHaveLength(0)
    limit(room, { day: { nanos: nanosPerDollar, tokens: 1_000_000 } })
    expect((await endWith())?.status).toBe('completed')
    limit(room, { day: { nanos: nanosPerDollar, tokens: 10 } })
    expect((await endWith())?.outcome).toMatchObject({ refusal: { code: 'budget_exceeded', details: { scope: 'day' } } })
  })

  it('is not passed by two runs at once, and what was held comes back', async () => {
    const gate = Promise.withResolvers<void>()
    await using house = await openRunHouse(() =>
      streams([{ type: 'until', ready: gate.promise }, says('ok'), finishes('stop'), uses(10, 1)]),
    )
    const { room, endpoint } = house
    price(room)
    // Room for one request with its reserve, and for two once the first has been settled.
    limit(room, { day: { nanos: 0.03 * nanosPerDollar } })
    const runs = (await Promise.all([room.start({}), room.start({})])).map(mustOk)
    while (endpoint.received.length === 0) await nextTurn()
    gate.resolve()
    const ends = await Promise.all(runs.map(async ({ id }) => endOf(await room.watch(id))))
    expect(ends.map((run) => (run?.outcome?.kind === 'failed' ? run.outcome.refusal.code : run?.status)).sort()).toEqual([
      'budget_exceeded',
      'completed',
    ])
    expect(endpoint.received).toHaveLength(1)
    const third = mustOk(await room.start({}))
    expect(endOf(await room.watch(third.id))?.status).toBe('completed')
  })

  it('of an administrator counts for whoever chose more, or nothing', async () => {
    await using house = await openRunHouse(() => answersWith('ok'))
    const { room, endpoint } = house
    room.store.bounds.set('budget.day.calls', 1)
    expect(codeOf(setCeilings(room.store, room.owner, usualCeilings))).toBe('budget_bound')
    await room.watch(mustOk(await room.start({})).id)
    const second = endOf(await room.watch(mustOk(await room.start({})).id))
    expect(second?.outcome).toMatchObject({ refusal: { code: 'budget_exceeded' } })
    expect(endpoint.received).toHaveLength(1)
  })
})
