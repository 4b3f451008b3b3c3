import { describe, expect, it } from 'vitest'
import { codeOf, endOf, kindsOf, mustOk, openRunHouse, untilStopped } from '../../tests/support/run-room.ts'
import { answersWith, calls, callsTool, finishes, says, silence, streams } from '../../tests/support/script.ts'

describe('cancelling', () => {
  it('ends a run in the middle of a command, once', async () => {
    const started = Promise.withResolvers<void>()
    await using house = await openRunHouse([callsTool('execute_command', { command: 'sleep 60' })], {
      runProcess: (spec, signal) => {
        started.resolve()
        return untilStopped(spec, signal)
      },
    })
    const { room } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    const frames = room.watch(run.id)
    await started.promise
    const [one, two] = await Promise.all([room.runs.cancel(room.owner, run.id), room.runs.cancel(room.owner, run.id)])
    expect(mustOk(one).status).toBe('cancelled')
    expect(mustOk(two)).toEqual(mustOk(one))
    expect(kindsOf(await frames).filter((kind) => kind === 'ended')).toHaveLength(1)
    const result = (await frames).flatMap((frame) =>
      frame.kind === 'beat' && frame.beat.kind === 'result' ? [frame.beat.payload] : [],
    )
    expect(result).toMatchObject([{ status: 'killed' }])
    expect(codeOf(await room.runs.cancel(room.owner, run.id))).toBe('run_already_ended')
    expect(codeOf(await room.start({ projectId: project.id, mode: 'plan' }))).toBe('ok')
  })

  it('ends a run whose command does not answer', async () => {
    const started = Promise.withResolvers<void>()
    await using house = await openRunHouse([callsTool('execute_command', { command: 'hang' })], {
      limits: { stopMs: 50 },
      runProcess: () => {
        started.resolve()
        return new Promise(() => undefined)
      },
    })
    const { room } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const frames = room.watch(run.id)
    await started.promise
    expect(mustOk(await room.runs.cancel(room.owner, run.id)).status).toBe('cancelled')
    expect(kindsOf(await frames).slice(-3)).toEqual(['unknown', 'run_ended', 'ended'])
  })

  it('is not for somebody else', async () => {
    await using house = await openRunHouse([silence])
    const { room } = house
    const run = mustOk(await room.start({}))
    expect(codeOf(await room.runs.cancel({ userId: 'user_00000000000000000000000000' }, run.id))).toBe('thing_unknown')
    await expect.poll(() => room.store.runs.get(room.owner, run.id)?.status).toBe('running')
  })
})

describe('after the process died', () => {
  it('a run is interrupted, its words are kept, its open call is unknown, and nothing is executed again', async () => {
    const started = Promise.withResolvers<void>()
    await using house = await openRunHouse(
      [streams([says('I will ', 'wait.'), calls('execute_command', { command: 'sleep 60' }), finishes('tool_calls')])],
      {
        runProcess: () => {
          started.resolve()
          return new Promise(() => undefined)
        },
      },
    )
    const { room, endpoint } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    await started.promise
    await room.restart()
    expect(await room.runs.recover()).toBe(1)
    expect(await room.runs.recover()).toBe(0)

    const frames = await room.watch(run.id)
    expect(endOf(frames)?.outcome).toMatchObject({ kind: 'interrupted', calls: 1, refusal: { code: 'run_interrupted' } })
    expect(kindsOf(frames).slice(-3)).toEqual(['unknown', 'run_ended', 'ended'])
    const { items: beats } = room.store.ledger.list(room.owner, { runId: run.id, limit: 500 })
    const shown = frames.flatMap((frame) => (frame.kind === 'beat' ? [frame.beat.id] : []))
    expect([...shown].sort()).toEqual(beats.map(({ id }) => id).sort())
    expect(room.store.messages.list(room.owner, run.chatId, { limit: 10 }).items.map(({ text }) => text)).toEqual([
      'Do it.',
      'I will wait.',
    ])
    expect(endpoint.received).toHaveLength(1)
    expect(codeOf(await room.start({ chatId: run.chatId }))).toBe('ok')
  })

  it('words of an answer that never ended become a message', async () => {
    await using house = await openRunHouse([streams([says('Half an answer'), { type: 'stall' }])])
    const { room } = house
    const run = mustOk(await room.start({}))
    for await (const frame of room.feed.subscribe({ ...room.owner, runId: run.id }, null, AbortSignal.timeout(5_000))) {
      if (frame.kind === 'text') break
    }
    await room.restart()
    await room.runs.recover()
    expect(room.store.messages.list(room.owner, run.chatId, { limit: 10 }).items.at(-1)).toMatchObject({
      role: 'assistant',
      text: 'Half an answer',
    })
  })

  it('a run whose record was damaged is ended all the same, and so is the one after it', async () => {
    await using house = await openRunHouse([streams([says('Half an answer'), { type: 'stall' }]), silence])
    const { room } = house
    const damaged = mustOk(await room.start({}))
    await house.endpoint.arrived(1)
    const sound = mustOk(await room.start({}))
    await house.endpoint.arrived(2)
    await room.restart()
    room.temp.change('DROP TRIGGER beat_payloads_never_change')
    room.temp.change(
      'UPDATE beat_payloads SET sealed = zeroblob(64) WHERE seq = (SELECT min(seq) FROM beats WHERE runId = ?)',
      damaged.id,
    )
    expect(await room.runs.recover()).toBe(2)
    const refusal = { code: 'sealed_value_tampered' }
    expect(room.store.runs.get(room.owner, damaged.id)?.outcome).toMatchObject({ kind: 'failed', refusal })
    expect(room.store.runs.get(room.owner, sound.id)?.outcome).toMatchObject({ kind: 'interrupted' })
    const next = mustOk(await room.start({ chatId: damaged.chatId }))
    expect(endOf(await room.watch(next.id))?.outcome).toMatchObject({ kind: 'failed', refusal })
  })

  it('a finished run replays as it was', async () => {
    await using house = await openRunHouse([answersWith('Hello ', 'there.')])
    const { room } = house
    const run = mustOk(await room.start({}))
    const live = await room.watch(run.id)
    await room.restart()
    expect(await room.runs.recover()).toBe(0)
    expect(await room.watch(run.id)).toEqual(live)
    expect(await room.watch(run.id, 3)).toEqual(live.slice(3))
  })
})

describe('an orderly stop', () => {
  it('interrupts what is active and lets nothing start', async () => {
    await using house = await openRunHouse([streams([says('Half'), { type: 'stall' }])])
    const { room, endpoint } = house
    const run = mustOk(await room.start({}))
    const frames = room.watch(run.id)
    await endpoint.arrived(1)
    await room.runs.close()
    expect(endOf(await frames)).toMatchObject({ status: 'interrupted', outcome: { refusal: { code: 'run_interrupted' } } })
    expect(codeOf(await room.start({}))).toBe('server_stopping')
  })
})
