import { admitHarness } from '@bridlewise/engine'
import { ok } from '@bridlewise/shared/refusals'
import type { Frame } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { codeOf, mustOk, openRunHouse, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith, silence } from '../../tests/support/script.ts'
import { addUser, newId } from '../../tests/support/store.ts'
import { createChatHandlers } from './chat.ts'
import { createRunHandlers } from './run.ts'
import { createRunStream } from './run-stream.ts'
import { createTimelineHandlers } from './timeline.ts'

const clock = { now: Date.now, elapsed: () => performance.now() }

function handlersOf({ store, feed, runs }: RunRoom) {
  const stream = createRunStream({ feed, retention: store.retention, runs: store.runs, projects: store.projects })
  return {
    run: createRunHandlers({ control: runs, runs: store.runs, chats: store.chats, waiting: store.waiting, stream }),
    chat: createChatHandlers({ store, clock, ids: { next: newId }, grants: () => ok(admitHarness()), reportFault: String }),
    timeline: createTimelineHandlers({ ledger: store.ledger, clock }),
  }
}

async function readAll(frames: AsyncIterable<Frame>): Promise<number[]> {
  const numbers: number[] = []
  for await (const frame of frames) numbers.push(frame.number)
  return numbers
}

it('what a run left behind is read by its owner, and is not there for anybody else', async () => {
  await using house = await openRunHouse([answersWith('Hello.')])
  const { room } = house
  const { run, chat, timeline } = handlersOf(room)
  const mine = contextOf(room.owner)
  const started = mustOk(await run.start(mine, { prompt: 'Greet me.', mode: 'act' })).run
  const numbers = await readAll(mustOk(await run.stream(mine, { runId: started.id })))
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
  expect(await readAll(mustOk(await run.stream(contextOf(room.owner, { lastEventId: 2 }), { runId: started.id })))).toEqual(
    numbers.slice(2),
  )

  const page = { limit: 100 }
  expect(mustOk(await run.get(mine, { runId: started.id })).run.status).toBe('completed')
  expect(mustOk(await run.list(mine, page)).runs.map(({ id }) => id)).toEqual([started.id])
  const read = mustOk(await chat.get(mine, { chatId: started.chatId, ...page }))
  expect(read.messages.map(({ text }) => text)).toEqual(['Greet me.', 'Hello.'])
  expect(read.runs.map(({ id }) => id)).toEqual([started.id])
  const { beats } = mustOk(await timeline.list(mine, { runId: started.id, ...page }))
  expect(beats.map(({ kind }) => kind)).toEqual(['run_started', 'message', 'request', 'response', 'message', 'run_ended'])
  expect(mustOk(await timeline.verify(mine, {}))).toMatchObject({ valid: true, broken: null })

  const theirs = contextOf(addUser(room.temp, 'bob'))
  expect(codeOf(await run.get(theirs, { runId: started.id }))).toBe('thing_unknown')
  expect(codeOf(await run.stream(theirs, { runId: started.id }))).toBe('thing_unknown')
  expect(codeOf(await run.cancel(theirs, { runId: started.id }))).toBe('thing_unknown')
  expect(codeOf(await chat.get(theirs, { chatId: started.chatId, ...page }))).toBe('thing_unknown')
  expect(mustOk(await timeline.list(theirs, { runId: started.id, ...page })).beats).toEqual([])
})

it('a stream that is not kept any more says how its run stands to whoever had a part of it, and no to anybody else', async () => {
  await using house = await openRunHouse([answersWith('Hello.')])
  const { room } = house
  const { run } = handlersOf(room)
  const mine = contextOf(room.owner)
  const { id: runId } = mustOk(await run.start(mine, { prompt: 'Greet me.', mode: 'act' })).run
  await readAll(mustOk(await run.stream(mine, { runId })))
  room.store.retention.countOne()
  const removed = room.store.retention.expire(room.owner, { before: Date.now() + 1_000, bytes: 0, at: 1, isWatched: () => false })
  expect(removed.streams).toBe(1)
  expect(codeOf(await run.stream(mine, { runId }))).toBe('content_removed')
  const frames: Frame[] = []
  for await (const frame of mustOk(await run.stream(contextOf(room.owner, { lastEventId: 2 }), { runId }))) frames.push(frame)
  const ended = mustOk(await run.get(mine, { runId })).run
  expect(frames).toEqual([
    { number: 0, kind: 'resync', run: ended },
    { number: 1, kind: 'ended', run: ended },
  ])
})

it('watching a run that is not there starts none', async () => {
  await using house = await openRunHouse([])
  const { room, endpoint } = house
  const { run } = handlersOf(room)
  expect(codeOf(await run.stream(contextOf(room.owner), { runId: newId('run') }))).toBe('thing_unknown')
  expect(room.store.runs.list(room.owner, { limit: 10 }).items).toEqual([])
  expect(endpoint.all).toEqual([])
})

it('a chat is renamed and removed, but not while a run of it is active', async () => {
  await using house = await openRunHouse([silence])
  const { room } = house
  const { run, chat } = handlersOf(room)
  const mine = contextOf(room.owner)
  const started = mustOk(await run.start(mine, { prompt: 'Wait.', mode: 'act' })).run
  const { chatId } = started
  expect(mustOk(await chat.rename(mine, { chatId, title: 'Waiting' })).chat).toMatchObject({
    title: 'Waiting',
    activeRunId: started.id,
  })
  expect(codeOf(await chat.remove(mine, { chatId }))).toBe('chat_busy')
  expect(mustOk(await run.cancel(mine, { runId: started.id })).run.status).toBe('cancelled')
  expect(codeOf(await chat.remove(mine, { chatId }))).toBe('ok')
  expect(codeOf(await chat.rename(mine, { chatId, title: 'Gone' }))).toBe('thing_unknown')
})

it('a chat in a project that is not there is not made', async () => {
  await using house = await openRunHouse([])
  const { chat } = handlersOf(house.room)
  const mine = contextOf(house.room.owner)
  expect(codeOf(await chat.create(mine, { projectId: newId('project') }))).toBe('thing_unknown')
  const { id } = await house.room.addProject()
  expect(mustOk(await chat.create(mine, { projectId: id })).chat).toMatchObject({ projectId: id, title: 'New chat', turns: 0 })
})

it('a run in a shared project is watched while it is shared, and again once it has ended', async () => {
  await using house = await openRunHouse([silence])
  const { room } = house
  const guest = addUser(room.temp, 'bob')
  const { id: projectId } = await room.addProject()
  room.store.shares.add(room.owner, { id: newId('share'), projectId, username: 'bob', createdAt: 1 })
  room.store.providers.create(guest, {
    ...{ id: newId('provider'), name: 'own', kind: 'custom', baseUrl: house.endpoint.baseUrl, apiKey: null },
    ...{ models: ['scripted'], createdAt: 1 },
  })
  const [provider] = room.store.providers.list(guest)
  room.store.settings.set(guest, 'chosenModel', { providerId: provider?.id ?? '', modelId: 'scripted' })
  const { run } = handlersOf(room)
  let holds = () => false
  const keepWhile = (condition: () => boolean) => {
    holds = condition
  }
  const theirs = contextOf(guest, { keepWhile })
  const started = mustOk(await run.start(theirs, { prompt: 'Wait.', mode: 'act', projectId })).run
  mustOk(await run.stream(theirs, { runId: started.id }))
  expect(holds()).toBe(true)
  room.store.shares.endAll(room.owner, projectId)
  expect(holds()).toBe(false)
  expect(codeOf(await run.stream(theirs, { runId: started.id }))).toBe('project_unshared')
  mustOk(await run.cancel(theirs, { runId: started.id }))
  expect(await readAll(mustOk(await run.stream(theirs, { runId: started.id })))).not.toEqual([])
})
