/** Children of a run, on a real store and behind a real endpoint: recorded, stopped, interrupted, continued, paid for. */
import { hash } from 'node:crypto'
import type { TurnEvent } from '@bridlewise/engine'
import type { Beat, BeatKind, Frame, Outcome } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { endOf, exited, mustOk, openRunHouse, type RunRoom, untilStopped } from '../../tests/support/run-room.ts'
import {
  answersWith,
  byConversation,
  calls,
  callsTool,
  delegates,
  finishes,
  says,
  streams,
  uses,
} from '../../tests/support/script.ts'
import { addRun, addUser, newId, openTempStore } from '../../tests/support/store.ts'
import { setCeilings } from '../budget/index.ts'
import { createFeed } from './feed.ts'
import { createRecorder } from './record.ts'
import { tallyOf } from './tally.ts'

const waits = callsTool('execute_command', { command: 'sleep 60' })

function beatsOf({ store, owner }: RunRoom, runId: string): readonly Beat[] {
  return store.ledger.list(owner, { runId, limit: 500 }).items
}

function payloadsOf<K extends BeatKind>(beats: readonly Beat[], kind: K) {
  return beats.filter((beat): beat is Extract<Beat, { kind: K }> => beat.kind === kind)
}

/** Whose the words of a stream are: the nth child's, or the run's own. */
function wordsBy(frames: readonly Frame[], callIds: readonly string[]): Record<string, string> {
  const words: Record<string, string> = {}
  for (const frame of frames) {
    if (frame.kind !== 'text') continue
    const whose = frame.within === undefined ? 'run' : String(callIds.indexOf(frame.within))
    words[whose] = (words[whose] ?? '') + frame.text
  }
  return words
}

describe('children of a run', () => {
  it('stand in the same chain, each entry and word says whose it is, and the chat holds none of their words', async () => {
    const script = byConversation({
      'Do it.': [delegates({ task: 'one' }, { task: 'two' }), answersWith('Both ', 'looked.')],
      one: [callsTool('read_file', { path: 'notes.txt' }), answersWith('The ', 'first.')],
      two: [answersWith('The ', 'second.')],
    })
    await using house = await openRunHouse(script)
    const { room, endpoint } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const frames = await room.watch(run.id)
    const beats = beatsOf(room, run.id)
    const callIds = payloadsOf(beats, 'child_started').map(({ payload }) => payload.callId)
    expect(callIds).toHaveLength(2)
    expect(wordsBy(frames, callIds)).toEqual({ run: 'Both looked.', 0: 'The first.', 1: 'The second.' })
    for (const callId of callIds) {
      const own = beats.filter(({ within }) => within === callId)
      expect([own[0]?.kind, own.at(-1)?.kind]).toEqual(['child_started', 'child_ended'])
    }
    expect(endOf(frames)?.outcome).toMatchObject({ kind: 'completed', steps: 5, calls: 3, usage: { inputTokens: 500 } })
    expect(new Set(payloadsOf(beats, 'request').map(({ payload }) => payload.step)).size).toBe(5)
    expect(room.store.messages.list(room.owner, run.chatId, { limit: 10 }).items.map(({ text }) => text)).toEqual([
      'Do it.',
      'Both looked.',
    ])
    const told = endpoint.received.findLast(({ body }) => body?.messages?.[1]?.content === 'Do it.')?.body?.messages
    expect(told?.filter(({ role }) => role === 'tool').map(({ content }) => /The \w+\./.exec(String(content))?.[0])).toEqual([
      'The first.',
      'The second.',
    ])
    const sent = mustOk(room.store.departures.ofRun(room.owner, run.id))
    expect(sent.map(({ held }) => held.reduce((sum, { bytes }) => sum + bytes, 0))).toEqual(
      sent.map(({ egress }) => egress.bytes),
    )
    expect(sent.map(({ egress }) => egress.digest).sort()).toEqual(endpoint.received.map(({ raw }) => hash('sha256', raw)).sort())
    expect(await room.store.ledger.verify()).toMatchObject({ valid: true })
    expect(room.faults).toEqual([])
  })

  it('are told to the next run of the chat by their results alone', async () => {
    const script = byConversation({
      'Do it.': [delegates({ task: 'one' }), answersWith('Seen.')],
      one: [answersWith('Secret thoughts.')],
    })
    await using house = await openRunHouse((request) =>
      request.body?.messages?.at(-1)?.content === 'And?' ? answersWith('Yes.') : script(request),
    )
    const { room, endpoint } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    await room.watch(run.id)
    const next = mustOk(await room.start({ chatId: run.chatId, prompt: 'And?' }))
    expect(endOf(await room.watch(next.id))?.status).toBe('completed')
    const messages = endpoint.received.at(-1)?.body?.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
    expect(messages.at(-2)?.content).toBe('Seen.')
  })

  it('end with the run when it is stopped, on record and with no process left', async () => {
    const both = Promise.withResolvers<void>()
    let alive = 0
    const script = byConversation({ 'Do it.': [delegates({ task: 'one' }, { task: 'two' })], one: [waits], two: [waits] })
    await using house = await openRunHouse(script, {
      runProcess: async (spec, signal) => {
        if (++alive === 2) both.resolve()
        const ended = await untilStopped(spec, signal)
        alive -= 1
        return ended
      },
    })
    const { room } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    await both.promise
    expect(mustOk(await room.runs.cancel(room.owner, run.id)).status).toBe('cancelled')
    expect(alive).toBe(0)
    const beats = beatsOf(room, run.id)
    expect(payloadsOf(beats, 'child_ended').map(({ payload }) => payload.outcome.kind)).toEqual(['cancelled', 'cancelled'])
    expect(payloadsOf(beats, 'unknown')).toEqual([])
  })

  it('end with a server that dies, each with what nobody knows of it, and the run can be continued', async () => {
    const begun = Promise.withResolvers<void>()
    const script = byConversation({
      'Do it.': [delegates({ task: 'one', paths: ['.'] })],
      one: [streams([says('I will.'), calls('execute_command', { command: 'make it' }), finishes('tool_calls'), uses(100, 20)])],
    })
    await using house = await openRunHouse(
      (request) =>
        String(request.body?.messages?.at(-1)?.content).startsWith('The server stopped') ? answersWith('On.') : script(request),
      {
        runProcess: () => {
          begun.resolve()
          return new Promise(() => undefined)
        },
      },
    )
    const { room, endpoint } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    await begun.promise
    await room.restart()
    expect(await room.runs.recover()).toBe(1)
    const beats = beatsOf(room, run.id)
    const [started] = payloadsOf(beats, 'child_started')
    const ends = beats.slice(-4).map(({ kind, within }) => [kind, within !== undefined])
    expect(ends).toEqual([
      ['unknown', false],
      ['unknown', true],
      ['child_ended', true],
      ['run_ended', false],
    ])
    expect(payloadsOf(beats, 'child_ended')[0]).toMatchObject({
      within: started?.payload.callId,
      payload: { outcome: { kind: 'interrupted', steps: 1, calls: 1 } },
    })
    expect(payloadsOf(beats, 'run_ended')[0]?.payload.outcome).toMatchObject({ kind: 'interrupted', steps: 2, calls: 2 })
    const next = mustOk(await room.runs.continueRun({ ...room.owner, id: run.id, idempotencyKey: null }))
    expect(endOf(await room.watch(next.id))?.status).toBe('completed')
    const asked = String(endpoint.received.at(-1)?.body?.messages?.at(-1)?.content)
    expect(asked).toContain('- Run make it')
    expect(asked).toContain('- Assign one')
    expect(await room.store.ledger.verify()).toMatchObject({ valid: true })
  })
})

it('what a child was saying when the server died is kept as its own', async () => {
  const script = byConversation({
    'Do it.': [delegates({ task: 'one' })],
    one: [streams([says('Half a thought'), { type: 'stall' }])],
  })
  await using house = await openRunHouse(script)
  const { room } = house
  const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
  for await (const frame of room.feed.subscribe({ ...room.owner, runId: run.id }, null, AbortSignal.timeout(5_000))) {
    if (frame.kind === 'text') break
  }
  await room.restart()
  await room.runs.recover()
  const beats = beatsOf(room, run.id)
  const [started] = payloadsOf(beats, 'child_started')
  expect(payloadsOf(beats, 'message').at(-1)).toMatchObject({ within: started?.within, payload: { text: 'Half a thought' } })
  expect(room.store.messages.list(room.owner, run.chatId, { limit: 10 }).items.map(({ text }) => text)).toEqual(['Do it.'])
})

it('words of children that speak at once are gathered by speaker', async () => {
  await using temp = await openTempStore()
  const scope = addRun(temp.store, addUser(temp, 'ada'))
  const feed = createFeed(temp.store)
  feed.open(scope.runId, 0)
  const callIds = [newId('call'), newId('call')]
  const pieces = Array.from({ length: 2_000 }, (_, at) => ({ text: `w${at} `, within: callIds[at % 2] ?? '' }))
  async function* speak(): AsyncGenerator<TurnEvent, Outcome> {
    for (const piece of pieces) yield { type: 'text', step: 1, ...piece }
    return { kind: 'completed', ...tallyOf([]) }
  }
  const clock = { now: Date.now, elapsed: () => performance.now() }
  await createRecorder({ store: temp.store, feed, clock }, scope).follow(speak())
  const frames = temp.store.frames.read(scope, scope.runId, { after: 0, limit: 5_000 })
  const said = (own: number) => pieces.flatMap(({ text }, at) => (at % 2 === own ? [text] : [])).join('')
  expect(wordsBy(frames, callIds)).toEqual({ 0: said(0), 1: said(1) })
  expect(frames.length).toBeLessThan(200)
})

describe('what children spend', () => {
  const reads = streams([calls('read_file', { path: 'notes.txt' }), finishes('tool_calls'), uses(20_000, 100)])

  it('counts for the run, and the ceilings of the run end them', async () => {
    const script = byConversation({ 'Do it.': [delegates({ task: 'one' })], one: [reads, reads] })
    await using house = await openRunHouse(script)
    const { room, endpoint } = house
    const none = { nanos: null, tokens: null, calls: null, ms: null }
    mustOk(setCeilings(room.store, room.owner, { run: none, chat: none, project: none, day: { ...none, calls: 2 } }))
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const outcome = endOf(await room.watch(run.id))?.outcome
    expect(outcome).toMatchObject({ kind: 'failed', refusal: { code: 'budget_exceeded', details: { scope: 'day' } } })
    expect(payloadsOf(beatsOf(room, run.id), 'child_ended')[0]?.payload.outcome).toMatchObject({
      refusal: { code: 'budget_exceeded' },
    })
    expect(endpoint.received).toHaveLength(2)
    expect(room.store.charges.sum(room.owner, { runId: run.id })).toMatchObject({ calls: 2, inputTokens: 20_100 })
  })

  it.each([
    ['tokens', { tokens: 15_000 }, 'task_budget_spent', 1],
    ['money whose price nobody knows', { dollars: 1 }, 'price_unknown', 0],
    ['requests', { requests: 1 }, 'task_limit_reached', 1],
  ] as const)('is held to the %s that its task was given, and the run goes on', async (_what, budget, code, sent) => {
    const script = byConversation({
      'Do it.': [delegates({ task: 'one', budget }), answersWith('So be it.')],
      one: [reads, reads],
    })
    await using house = await openRunHouse(script, { runProcess: async () => exited('') })
    const { room, endpoint } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    expect(endOf(await room.watch(run.id))?.status).toBe('completed')
    const [ended] = payloadsOf(beatsOf(room, run.id), 'child_ended')
    expect(ended?.payload.outcome).toMatchObject({ kind: 'failed', steps: sent, refusal: { code } })
    expect(endpoint.received).toHaveLength(2 + sent)
  })
})
