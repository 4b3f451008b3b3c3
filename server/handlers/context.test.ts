import { makeRefusal } from '@bridlewise/shared/refusals'
import type { BeatDraft } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { codeOf, mustOk, openRunHouse, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith, type Script } from '../../tests/support/script.ts'
import { addUser } from '../../tests/support/store.ts'
import { createContextHandlers } from './context.ts'

const bluest = 'Name the bluest colour.'

/** A chat in which a person asked once. */
async function openChat(steps: Script['steps']) {
  const house = await openRunHouse(steps)
  const { room, endpoint } = house
  const ask = async (prompt: string, chatId?: string) => {
    const run = mustOk(await room.start({ prompt, ...(chatId ? { chatId } : {}) }))
    await room.watch(run.id)
    return run
  }
  const { chatId } = await ask(bluest)
  return {
    room,
    chatId,
    own: contextOf(room.owner),
    handlers: handlersOf(room),
    /** What the endpoint is sent of the chat when its person asks again. */
    async sentNext(): Promise<string> {
      await ask('And now?', chatId)
      return endpoint.received.at(-1)?.raw.toString() ?? ''
    },
    note: (draft: BeatDraft) => room.store.ledger.write({ ...room.owner, runId: null, chatId }, draft),
    seqOf: (text: string) => {
      const messages = room.store.ledger.newest(room.owner, { chatId, kinds: ['message'], limit: 50 })
      return messages.find((beat) => beat.kind === 'message' && beat.payload.text === text)?.seq ?? 0
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

function handlersOf({ store, bridge, runs }: RunRoom) {
  return createContextHandlers({ store, bridge, control: runs })
}

it('a goal goes with every request until it is taken off', async () => {
  await using chat = await openChat([answersWith('Azure.'), answersWith('Still.'), answersWith('Still.')])
  const { handlers, own, chatId } = chat
  expect(mustOk(await handlers.pin(own, { chatId, goal: 'Find a blue.' })).context.goal).toBe('Find a blue.')
  expect(await chat.sentNext()).toContain('> Find a blue.')
  expect(mustOk(await handlers.pin(own, { chatId, goal: null })).context.goal).toBe(null)
  expect(await chat.sentNext()).not.toContain('Find a blue.')
})

it('what lies before the point is not sent, and is sent again when the point is moved back', async () => {
  await using chat = await openChat([answersWith('Azure.'), answersWith('Still.'), answersWith('Still.')])
  const { handlers, own, chatId } = chat
  const upTo = chat.seqOf(bluest)
  expect(mustOk(await handlers.move(own, { chatId, upTo })).context.boundary).toBe(upTo)
  expect(await chat.sentNext()).not.toContain(bluest)
  expect(mustOk(await handlers.move(own, { chatId, upTo: 0 })).context.boundary).toBe(0)
  expect(await chat.sentNext()).toContain(bluest)
})

it('a message that was left out is a placeholder until its person restores it', async () => {
  await using chat = await openChat([answersWith('Azure.'), answersWith('Still.'), answersWith('Still.')])
  const { handlers, own, chatId } = chat
  const place = { seq: chat.seqOf(bluest), message: 0 }
  const items = [{ ...place, label: 'a message' }]
  const refusal = makeRefusal('endpoint_refused', { status: 400, problem: 'It holds what no model takes.' })
  expect(codeOf(await handlers.restore(own, { chatId, ...place }))).toBe('thing_unknown')
  chat.note({ kind: 'quarantine', source: 'server', payload: { items, refusal } })
  expect(mustOk(await handlers.get(own, { chatId })).context.quarantined).toEqual(items)
  const without = await chat.sentNext()
  expect(without).toContain('Left out: the endpoint did not take this message.')
  expect(without).not.toContain(bluest)

  expect(codeOf(await handlers.restore(own, { chatId, ...place, message: 1 }))).toBe('thing_unknown')
  expect(mustOk(await handlers.restore(own, { chatId, ...place })).context.quarantined).toEqual([])
  expect(await chat.sentNext()).toContain(bluest)
})

it('the meter is that of the newest request, its parts make up its sum, and a window is what its person says', async () => {
  await using chat = await openChat([answersWith('Azure.'), answersWith('Still.')])
  const { handlers, own, chatId } = chat
  const before = mustOk(await handlers.get(own, { chatId })).context
  const parts = Object.values(before.meter?.parts ?? {})
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(before.meter?.tokens)
  expect(before).toMatchObject({ usage: { inputTokens: 100 }, model: { modelId: 'scripted' }, window: { from: 'nobody' } })
  const model = before.model ?? { providerId: '', modelId: '' }
  mustOk(await handlers.setWindow(own, { ...model, tokens: 9_000 }))
  expect(codeOf(await handlers.setWindow(own, { ...model, modelId: 'another', tokens: 9_000 }))).toBe('thing_unknown')
  await chat.sentNext()
  const after = mustOk(await handlers.get(own, { chatId })).context
  expect(after).toMatchObject({ window: { tokens: 9_000, from: 'person' }, meter: { window: 9_000 } })
  mustOk(await handlers.setWindow(own, { ...model, tokens: null }))
  expect(mustOk(await handlers.get(own, { chatId })).context.window).toEqual({ tokens: null, from: 'nobody' })
})

it('another person finds no chat to read or to change', async () => {
  await using chat = await openChat([answersWith('Azure.')])
  const { handlers, own, chatId, room } = chat
  const bob = addUser(room.temp, 'bob')
  const other = contextOf(bob)
  const tries = [
    handlers.get(other, { chatId }),
    handlers.pin(other, { chatId, goal: 'Mine now.' }),
    handlers.move(other, { chatId, upTo: 1 }),
    handlers.restore(other, { chatId, seq: 1, message: 0 }),
    handlers.compact(other, { chatId }),
  ]
  for (const tried of await Promise.all(tries)) expect(codeOf(tried)).toBe('thing_unknown')
  expect(mustOk(await handlers.get(own, { chatId })).context).toMatchObject({ goal: null, boundary: 0 })
  expect(room.store.ledger.newest(bob, { chatId, kinds: ['goal', 'boundary', 'restored'], limit: 9 })).toEqual([])
})
