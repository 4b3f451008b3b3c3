import { afterAll, beforeAll, expect, it } from 'vitest'
import { addUser, newId, openTempStore, type TempStore } from '../../../tests/support/store.ts'
import type { Owner } from '../pages.ts'
import type { RolePlace } from './model-roles.ts'

let temp: TempStore
let ann: Owner
let bob: Owner

beforeAll(async () => {
  temp = await openTempStore()
  ;[ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
})
afterAll(() => temp[Symbol.asyncDispose]())

const everywhere: RolePlace = { projectId: null, chatId: null }

function addProvider(owner: Owner): string {
  const id = newId('provider')
  temp.store.providers.create(owner, { id, name: 'p', kind: 'k', baseUrl: '', apiKey: null, models: ['m'], createdAt: 1 })
  return id
}

it('the model of a role is kept by place, each owner for themselves, and taken back', () => {
  const { modelRoles, chats } = temp.store
  const model = { providerId: addProvider(ann), modelId: 'm' }
  const chat = chats.create(ann, { id: newId('chat'), title: 'a', projectId: null, createdAt: 1 })
  const here: RolePlace = { projectId: null, chatId: chat.id }
  modelRoles.set(ann, everywhere, { role: 'small', model })
  modelRoles.set(ann, here, { role: 'small', model: { ...model, modelId: 'other' } })
  expect(modelRoles.get(ann, everywhere, 'small')).toEqual(model)
  expect(modelRoles.get(ann, here, 'small')).toEqual({ ...model, modelId: 'other' })
  expect([modelRoles.get(ann, here, 'main'), modelRoles.get(bob, everywhere, 'small')]).toEqual([null, null])
  modelRoles.set(ann, here, { role: 'small', model: null })
  expect(modelRoles.get(ann, here, 'small')).toBeNull()
})

it.each<[string, (given: { providerId: string; chatId: string }) => void, number]>([
  ['its provider', ({ providerId }) => temp.store.providers.remove(ann, providerId), 0],
  ['its chat', ({ chatId }) => temp.store.chats.remove(ann, chatId), 1],
])('a choice goes with %s', (_what, remove, left) => {
  const given = { providerId: addProvider(ann), chatId: newId('chat') }
  const model = { providerId: given.providerId, modelId: 'm' }
  temp.store.chats.create(ann, { id: given.chatId, title: 'a', projectId: null, createdAt: 1 })
  for (const place of [everywhere, { projectId: null, chatId: given.chatId }])
    temp.store.modelRoles.set(ann, place, { role: 'main', model })
  remove(given)
  const rows = temp.rows('SELECT * FROM model_roles WHERE providerId = ?', given.providerId)
  expect(rows).toHaveLength(left)
})

it('a title that was thought up stands in place of first words alone', () => {
  const { chats } = temp.store
  const add = (titleFrom: 'words' | 'given') =>
    chats.create(ann, { id: newId('chat'), title: 'first words', titleFrom, projectId: null, createdAt: 1 }).id
  const [fresh, given, renamed] = [add('words'), add('given'), add('words')]
  chats.rename(ann, renamed, 'by hand')
  expect([fresh, given, renamed].map((id) => chats.suggestTitle(ann, id, 'thought up'))).toEqual([true, false, false])
  expect(chats.suggestTitle(bob, add('words'), 'thought up')).toBe(false)
  expect([fresh, given, renamed].map((id) => chats.get(ann, id))).toMatchObject([
    { title: 'thought up', titleFrom: 'model' },
    { title: 'first words', titleFrom: 'given' },
    { title: 'by hand', titleFrom: 'given' },
  ])
  expect(chats.suggestTitle(ann, fresh, 'once more')).toBe(false)
  expect(chats.rename(ann, fresh, 'by hand')).toMatchObject({ ok: true, value: { titleFrom: 'given' } })
})
