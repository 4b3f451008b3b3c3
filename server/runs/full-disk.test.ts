import { describe, expect, it } from 'vitest'
import { codeOf, endOf, kindsOf, mustOk, openRunHouse } from '../../tests/support/run-room.ts'
import { answersWith, says, streams } from '../../tests/support/script.ts'
import { StorageFault, type Store } from '../storage/index.ts'
import type { RunLimits } from './control.ts'

/** The disk under a store, full or not. Reads go on, as they do on a real one. */
function makeDisk() {
  const disk = { full: false, refused: Promise.withResolvers<void>() }
  const write = <T>(work: () => T): T => {
    if (!disk.full) return work()
    disk.refused.resolve()
    throw new StorageFault('storage_full', {})
  }
  const over = (store: Store): Store => ({
    ...store,
    transaction: (work) => write(() => store.transaction(work)),
    enqueue: async (work) => write(() => store.enqueue(work)),
    frames: { ...store.frames, append: async (scope, frames) => write(() => store.frames.append(scope, frames)) },
    executions: { ...store.executions, heartbeat: (...heartbeat) => write(() => store.executions.heartbeat(...heartbeat)) },
  })
  return { disk, over }
}

/** A run in the middle of an answer, whose disk has just become full. */
async function openFullHouse(limits: Partial<RunLimits>) {
  const { disk, over } = makeDisk()
  const more = Promise.withResolvers<void>()
  const speech = streams([says('Before. '), { type: 'until', ready: more.promise }, says('After.')])
  const house = await openRunHouse([speech, answersWith('Again.')], { over, limits })
  const { room } = house
  const project = await room.addProject()
  const run = mustOk(await room.start({ projectId: project.id }))
  for await (const frame of room.feed.subscribe({ ...room.owner, runId: run.id }, null, AbortSignal.timeout(10_000)))
    if (frame.kind === 'text') break
  disk.full = true
  const speakOn = async () => {
    more.resolve()
    await disk.refused.promise
  }
  return {
    room,
    disk,
    run,
    project,
    speakOn,
    frames: room.watch(run.id),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

describe('a disk that fills during a run', () => {
  it('ends the run as soon as there is room, with the reason and what was said before', async () => {
    await using scene = await openFullHouse({ endAgainMs: 5 })
    const { room, run, project } = scene
    await scene.speakOn()
    scene.disk.full = false
    const frames = await scene.frames
    expect(kindsOf(frames).slice(-3)).toEqual(['message', 'run_ended', 'ended'])
    expect(endOf(frames)).toMatchObject({ status: 'failed', outcome: { refusal: { code: 'storage_full' } } })
    expect(codeOf(await room.start({ chatId: run.chatId, projectId: project.id }))).toBe('ok')
  })

  it('leaves the run to be stopped by hand', async () => {
    await using scene = await openFullHouse({ endAgainMs: 60_000 })
    const { room, run } = scene
    await scene.speakOn()
    await expect(room.runs.cancel(room.owner, run.id)).rejects.toThrow(StorageFault)
    scene.disk.full = false
    expect(mustOk(await room.runs.cancel(room.owner, run.id)).status).toBe('cancelled')
    expect(endOf(await scene.frames)?.status).toBe('cancelled')
    expect(codeOf(await room.start({ chatId: run.chatId }))).toBe('ok')
  })

  it('does not end the server, nor the run, because a claim cannot be prolonged', async () => {
    await using scene = await openFullHouse({ leaseMs: 6 })
    await scene.disk.refused.promise
    scene.disk.full = false
    await scene.speakOn()
    expect(endOf(await scene.frames)?.status).toBe('completed')
    expect(scene.room.faults[0]).toBeInstanceOf(StorageFault)
  })
})
