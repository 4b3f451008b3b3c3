import type { ModelChoice } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { codeOf, mustOk, openRunRoom, type RunRoom } from '../../tests/support/run-room.ts'
import { newId } from '../../tests/support/store.ts'
import { createRoleHandlers } from './role.ts'

let room: RunRoom
let handlers: ReturnType<typeof createRoleHandlers>
let main: ModelChoice

beforeAll(async () => {
  room = await openRunRoom()
  handlers = createRoleHandlers(room)
  main = { providerId: room.addProvider('http://127.0.0.1:9/v1'), modelId: 'scripted' }
})
afterAll(() => room[Symbol.asyncDispose]())

it('what does the work is said with where it was chosen, and what was chosen for the very place', async () => {
  const own = contextOf(room.owner)
  const { id: projectId } = await room.addProject()
  const chatId = newId('chat')
  room.store.chats.create(room.owner, { id: chatId, title: 'a', projectId, createdAt: 1 })
  mustOk(await handlers.assign(own, { projectId, role: 'small', model: main }))
  expect(mustOk(await handlers.get(own, { chatId }))).toEqual({
    roles: [
      { role: 'main', model: main, from: 'everywhere', chosen: null },
      { role: 'small', model: main, from: 'project', chosen: null },
      { role: 'embedding', model: null, from: 'nobody', chosen: null },
    ],
    titles: false,
  })
  expect(mustOk(await handlers.get(own, {})).roles).toMatchObject([{ chosen: main }, { from: 'main', chosen: null }, {}])
  expect(mustOk(await handlers.get(own, { projectId })).roles[1]).toMatchObject({ from: 'project', chosen: main })
  expect(mustOk(await handlers.assign(own, { projectId, role: 'small', model: null })).roles[1]).toMatchObject({ from: 'main' })
  expect(codeOf(await handlers.get(own, { chatId, projectId }))).toBe('input_invalid')
  expect(codeOf(await handlers.get(own, { chatId: newId('chat') }))).toBe('thing_unknown')
})

it('titles are off until somebody wants them', async () => {
  const own = contextOf(room.owner)
  mustOk(await handlers.setTitles(own, { titles: true }))
  expect(mustOk(await handlers.get(own, {})).titles).toBe(true)
  mustOk(await handlers.setTitles(own, { titles: false }))
  expect(mustOk(await handlers.get(own, {})).titles).toBe(false)
})
