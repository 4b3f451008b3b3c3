import { expect, it } from 'vitest'
import { codeOf, endOf, kindsOf, mustOk, openRunHouse, type RunHouse, type RunRoomOptions } from '../../tests/support/run-room.ts'
import { answersWith } from '../../tests/support/script.ts'

/** A house in which requests of the one project wait. */
async function openHeld(options: RunRoomOptions = {}): Promise<RunHouse & { readonly projectId: string }> {
  const house = await openRunHouse([answersWith('Hello.')], options)
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
