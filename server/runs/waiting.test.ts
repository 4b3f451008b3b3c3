import type { Frame } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { codeOf, endOf, exited, kindsOf, mustOk, openRunHouse, untilStopped } from '../../tests/support/run-room.ts'
import { answers, answersWith, callsTool, finishes, type Received, says, streams } from '../../tests/support/script.ts'

/** What the model was sent, without the system message: role and the beginning of the words. */
const sentTo = (request: Received | undefined) =>
  request?.body?.messages?.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role}: ${content}`)

const userBeats = (frames: readonly Frame[]) =>
  frames.flatMap((frame) =>
    frame.kind === 'beat' && frame.beat.kind === 'message' && frame.beat.payload.role === 'user' ? [frame.beat.payload.text] : [],
  )

/** An answer that ends when the test says so. */
function held(...pieces: string[]) {
  const gate = Promise.withResolvers<void>()
  return {
    step: streams([says(...pieces), { type: 'until', ready: gate.promise }, finishes('stop')]),
    open: () => gate.resolve(),
  }
}

describe('steering', () => {
  it('reaches the model once, after the results of the step at hand', async () => {
    const started = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await using house = await openRunHouse([callsTool('execute_command', { command: 'make' }), answersWith('Done.')], {
      runProcess: async () => {
        started.resolve()
        await go.promise
        return exited('built')
      },
    })
    const { room, endpoint } = house
    const run = mustOk(await room.start({ prompt: 'Build.', projectId: (await room.addProject()).id }))
    const frames = room.watch(run.id)
    await started.promise
    mustOk(room.runs.steer({ ...room.owner, runId: run.id, text: 'Only the docs.' }))
    mustOk(room.runs.steer({ ...room.owner, runId: run.id, text: 'And quickly.' }))
    expect(room.store.waiting.list(room.owner, run.chatId)).toHaveLength(2)
    go.resolve()
    expect(userBeats(await frames)).toEqual(['Build.', 'Only the docs.', 'And quickly.'])
    expect(sentTo(endpoint.received[1])).toEqual([
      'user: Build.',
      expect.stringMatching(/^assistant/),
      expect.stringMatching(/^tool.*exit 0/),
      'user: Only the docs.\n\nAnd quickly.',
    ])
    expect(room.store.waiting.list(room.owner, run.chatId)).toEqual([])
    const { items } = room.store.messages.list(room.owner, run.chatId, { limit: 10 })
    expect(items.filter(({ text }) => text === 'Only the docs.')).toHaveLength(1)
    expect(room.faults).toEqual([])
  })

  it('keeps a run going that would have ended', async () => {
    const first = held('Hello.')
    await using house = await openRunHouse([first.step, answersWith('Tests too.')])
    const { room, endpoint } = house
    const run = mustOk(await room.start({ prompt: 'Do it.' }))
    const frames = room.watch(run.id)
    mustOk(room.runs.steer({ ...room.owner, runId: run.id, text: 'Tests too.' }))
    first.open()
    expect(endOf(await frames)).toMatchObject({ status: 'completed', outcome: { steps: 2 } })
    expect(sentTo(endpoint.received[1])).toEqual(['user: Do it.', 'assistant: Hello.', 'user: Tests too.'])
  })

  it('that a stopped run did not hear waits behind it', async () => {
    const first = held('Hm.')
    await using house = await openRunHouse([first.step])
    const { room } = house
    const run = mustOk(await room.start({}))
    mustOk(room.runs.steer({ ...room.owner, runId: run.id, text: 'Wait.' }))
    mustOk(await room.runs.cancel(room.owner, run.id))
    expect(room.store.waiting.list(room.owner, run.chatId)).toMatchObject([
      { delivery: 'queue', held: 'cancelled', text: 'Wait.' },
    ])
    expect(codeOf(room.runs.steer({ ...room.owner, runId: run.id, text: 'Late.' }))).toBe('run_already_ended')
  })

  it('is for the owner of the run', async () => {
    const first = held('Hm.')
    await using house = await openRunHouse([first.step])
    const { room } = house
    const run = mustOk(await room.start({}))
    const stranger = { userId: 'user_00000000000000000000000000' }
    expect(codeOf(room.runs.steer({ ...stranger, runId: run.id, text: 'Stop.' }))).toBe('thing_unknown')
    expect(codeOf(room.runs.queue({ ...stranger, runId: run.id, text: 'Stop.', mode: 'act' }))).toBe('thing_unknown')
    expect(codeOf(room.runs.steer({ ...room.owner, runId: run.id, text: 'Go on.' }))).toBe('ok')
  })
})

describe('a queued message', () => {
  it('is the next run by itself once the run before it completed, one after the other', async () => {
    const first = held('One.')
    await using house = await openRunHouse([first.step, answersWith('Two.'), answersWith('Three.')])
    const { room, endpoint } = house
    const run = mustOk(await room.start({ prompt: 'First.' }))
    for (const text of ['Second.', 'Third.']) mustOk(room.runs.queue({ ...room.owner, runId: run.id, text, mode: 'plan' }))
    expect(codeOf(await room.start({ chatId: run.chatId }))).toBe('chat_busy')
    first.open()
    await room.watch(run.id)
    await expect.poll(() => room.store.runs.list(room.owner, { chatId: run.chatId, limit: 9 }).items.length).toBe(3)
    const [third, second] = room.store.runs.list(room.owner, { chatId: run.chatId, limit: 9 }).items
    expect(userBeats(await room.watch(second?.id ?? ''))).toEqual(['Second.'])
    expect(userBeats(await room.watch(third?.id ?? ''))).toEqual(['Third.'])
    expect([second?.mode, third?.mode]).toEqual(['plan', 'plan'])
    expect(endpoint.received).toHaveLength(3)
    expect(room.store.waiting.list(room.owner, run.chatId)).toEqual([])
  })

  it.each([
    ['failed', async () => answers(400, 'no')],
    ['cancelled', async () => held('Hm.').step],
    ['interrupted', async () => held('Hm.').step],
  ] as const)('stays and says why when the run before it was %s, until somebody starts it', async (end, step) => {
    await using house = await openRunHouse([await step(), answersWith('Two.')], { modelLimits: {} })
    const { room, endpoint } = house
    const run = mustOk(await room.start({}))
    const queued = mustOk(room.runs.queue({ ...room.owner, runId: run.id, text: 'Second.', mode: 'act' }))
    await expect.poll(() => endpoint.received).toHaveLength(1)
    if (end === 'cancelled') mustOk(await room.runs.cancel(room.owner, run.id))
    if (end === 'interrupted') await room.runs.close()
    await room.watch(run.id)
    if (end === 'interrupted') {
      await room.restart()
      await room.runs.recover()
    }
    expect(room.store.waiting.list(room.owner, run.chatId)).toMatchObject([{ id: queued.id, held: end }])
    const asked = endpoint.received.length
    const ask = () => room.runs.startWaiting({ ...room.owner, id: queued.id, idempotencyKey: null })
    const [one, two] = await Promise.all([ask(), ask()])
    expect([codeOf(one), codeOf(two)]).toEqual(['ok', 'ok'])
    expect(mustOk(two).id).toBe(mustOk(one).id)
    expect(endOf(await room.watch(mustOk(one).id))).toMatchObject({ status: 'completed' })
    expect(endpoint.received).toHaveLength(asked + 1)
    expect(codeOf(await ask())).toBe('thing_unknown')
  })

  it('that cannot start when its turn comes stays and says so', async () => {
    const first = held('One.')
    await using house = await openRunHouse([first.step])
    const { room } = house
    const run = mustOk(await room.start({}))
    const model = { providerId: 'provider_00000000000000000000000000', modelId: 'gone' }
    mustOk(room.runs.queue({ ...room.owner, runId: run.id, text: 'Second.', mode: 'act', model }))
    first.open()
    await room.watch(run.id)
    await expect.poll(() => room.store.waiting.list(room.owner, run.chatId)).toMatchObject([{ held: 'refused' }])
  })

  it('of a completed run does not start after a restart', async () => {
    const first = held('One.')
    await using house = await openRunHouse([first.step])
    const { room, endpoint } = house
    const run = mustOk(await room.start({}))
    mustOk(room.runs.queue({ ...room.owner, runId: run.id, text: 'Second.', mode: 'act' }))
    const closing = room.runs.close()
    first.open()
    await closing
    await room.restart()
    await room.runs.recover()
    expect(room.store.waiting.list(room.owner, run.chatId)).toMatchObject([{ held: 'interrupted' }])
    expect(endpoint.received.length).toBeLessThanOrEqual(1)
  })

  it('is one of twenty at most', async () => {
    const first = held('One.')
    await using house = await openRunHouse([first.step])
    const { room } = house
    const run = mustOk(await room.start({}))
    const queue = () => codeOf(room.runs.queue({ ...room.owner, runId: run.id, text: 'More.', mode: 'act' }))
    const codes = Array.from({ length: 21 }, queue)
    expect([codes.slice(0, 20).every((code) => code === 'ok'), codes.at(-1)]).toEqual([true, 'waiting_full'])
  })
})

describe('continuing', () => {
  it('goes on in a new run that names what nobody knows, and only when it is asked for', async () => {
    const started = Promise.withResolvers<void>()
    await using house = await openRunHouse(
      [callsTool('execute_command', { command: 'deploy --now' }), answersWith('It stands.')],
      {
        runProcess: (spec, signal) => {
          started.resolve()
          return untilStopped(spec, signal)
        },
      },
    )
    const { room, endpoint } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ prompt: 'Deploy.', projectId: project.id }))
    const cont = (id: string, idempotencyKey: string | null = null) =>
      room.runs.continueRun({ ...room.owner, id, idempotencyKey })
    expect(codeOf(await cont(run.id))).toBe('run_still_active')
    await started.promise
    await room.restart()
    expect(await room.runs.recover()).toBe(1)
    expect(endpoint.received).toHaveLength(1)

    const key = 'continue-0001'
    const [one, two] = await Promise.all([cont(run.id, key), cont(run.id, key)])
    const next = mustOk(one)
    expect(mustOk(two).id).toBe(next.id)
    expect(next).toMatchObject({ chatId: run.chatId, mode: run.mode, model: run.model })
    const frames = await room.watch(next.id)
    expect(userBeats(frames)[0]).toMatch(/server stopped[\s\S]*deploy --now[\s\S]*before you do any of it again/)
    expect(sentTo(endpoint.received[1])?.at(-1)).toContain('deploy --now')
    const old = room.store.ledger.list(room.owner, { runId: run.id, limit: 99 }).items.at(-1)
    const head = frames.flatMap((frame) => (frame.kind === 'beat' && frame.beat.kind === 'run_started' ? [frame.beat] : []))[0]
    expect(head).toMatchObject({ payload: { continues: run.id }, derivation: [old?.id] })
    expect(codeOf(await cont(run.id))).toBe('run_not_continuable')
    expect(codeOf(await cont(next.id))).toBe('run_not_continuable')
    expect(kindsOf(frames).at(-1)).toBe('ended')
  })

  it('is for the owner of the run', async () => {
    await using house = await openRunHouse([answersWith('Done.')])
    const { room } = house
    const run = mustOk(await room.start({}))
    await room.watch(run.id)
    const stranger = { userId: 'user_00000000000000000000000000', id: run.id, idempotencyKey: null }
    expect(codeOf(await room.runs.continueRun(stranger))).toBe('thing_unknown')
  })
})
