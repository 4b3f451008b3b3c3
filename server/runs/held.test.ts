import { expect, it } from 'vitest'
import { codeOf, endOf, kindsOf, mustOk, openRunHouse, type RunHouse, type RunRoomOptions } from '../../tests/support/run-room.ts'
import { answers, answersWith, byConversation, delegates, type Script } from '../../tests/support/script.ts'

/** A house in which requests of the one project wait. */
async function openHeld(
  options: RunRoomOptions = {},
  steps: Script['steps'] = [answersWith('Hello.')],
): Promise<RunHouse & { readonly projectId: string }> {
  const house = await openRunHouse(steps, options)
  const { room } = house
  const { id: projectId } = await room.addProject()
  room.store.settings.set(room.owner, 'held', { projects: [projectId], chats: [] })
  return Object.assign(house, { projectId })
}

async function firstHeld({ room }: RunHouse, runId: string) {
  await expect.poll(() => mustOk(room.runs.held(room.owner, runId)).length).toBe(1)
  const [held] = mustOk(room.runs.held(room.owner, runId))
  if (!held) throw new Error('nothing waits')
  return { ...room.owner, runId, holdId: held.request.id, digest: held.request.egress.digest }
}

it('is not sent when nobody answers, and the run says so', async () => {
  await using house = await openHeld({ limits: { holdMs: 20 } })
  const { room, endpoint } = house
  const run = mustOk(await room.start({ projectId: house.projectId }))
  const frames = await room.watch(run.id)
  expect(endOf(frames)?.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'egress_unanswered' } })
  expect(kindsOf(frames)).toEqual(expect.arrayContaining(['waiting', 'held']))
  expect(kindsOf(frames)).not.toContain('request')
  expect(endpoint.received).toEqual([])
  expect(room.faults).toEqual([])
})

it('is not sent by a server that was started again: the run is interrupted, and its answer is over', async () => {
  await using house = await openHeld()
  const { room, endpoint } = house
  const run = mustOk(await room.start({ projectId: house.projectId }))
  const answer = await firstHeld(house, run.id)
  await room.restart()
  await room.runs.recover()
  expect(room.store.runs.get(room.owner, run.id)?.status).toBe('interrupted')
  expect(codeOf(await room.runs.answerHeld({ ...answer, answer: 'send' }))).toBe('hold_over')
  expect(endpoint.received).toEqual([])
})

it('is not sent when the answer cannot be recorded', async () => {
  let broken = false
  const house = openHeld({
    over: (store) => ({
      ...store,
      ledger: {
        ...store.ledger,
        write: (scope, draft) => {
          if (broken && draft.kind === 'held') throw new Error('disk full')
          return store.ledger.write(scope, draft)
        },
      },
    }),
  })
  await using held = await house
  const { room, endpoint } = held
  const run = mustOk(await room.start({ projectId: held.projectId }))
  const answer = await firstHeld(held, run.id)
  broken = true
  await expect(room.runs.answerHeld({ ...answer, answer: 'send' })).rejects.toThrow('disk full')
  expect(endOf(await room.watch(run.id))?.status).toBe('failed')
  expect(endpoint.received).toEqual([])
})

it('waits again for each attempt', async () => {
  await using house = await openHeld({}, [answers(503, '', { 'retry-after': '0' }), answersWith('Hello.')])
  const { room, endpoint } = house
  const run = mustOk(await room.start({ projectId: house.projectId }))
  const first = await firstHeld(house, run.id)
  mustOk(await room.runs.answerHeld({ ...first, answer: 'send' }))
  await expect.poll(() => endpoint.received.length).toBe(1)
  const second = await firstHeld(house, run.id)
  expect([second.holdId === first.holdId, second.digest === first.digest]).toEqual([false, true])
  expect(codeOf(await room.runs.answerHeld({ ...first, answer: 'send' }))).toBe('hold_over')
  expect(endpoint.received).toHaveLength(1)
  mustOk(await room.runs.answerHeld({ ...second, answer: 'send' }))
  expect(endOf(await room.watch(run.id))?.status).toBe('completed')
  expect(endpoint.received).toHaveLength(2)
})

it('waits in a child as well, and a stop there stops the whole run', async () => {
  const steps = byConversation({ 'Do it.': [delegates({ task: 'T' }), answersWith('Done.')], T: [answersWith('In.')] })
  await using house = await openHeld({}, steps)
  const { room, endpoint } = house
  const run = mustOk(await room.start({ projectId: house.projectId }))
  mustOk(await room.runs.answerHeld({ ...(await firstHeld(house, run.id)), answer: 'send' }))
  await expect.poll(() => endpoint.received.length).toBe(1)
  const ofChild = await firstHeld(house, run.id)
  expect(mustOk(await room.runs.answerHeld({ ...ofChild, answer: 'stop' })).status).toBe('cancelled')
  expect(endpoint.received).toHaveLength(1)
})
