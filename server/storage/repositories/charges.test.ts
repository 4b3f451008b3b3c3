import { afterEach, beforeEach, expect, it } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../../../tests/support/store.ts'

let temp: TempStore
beforeEach(async () => {
  temp = await openTempStore()
})
afterEach(() => temp[Symbol.asyncDispose]())

const charge = { inputTokens: 100, cachedTokens: 40, outputTokens: 10, nanos: 7, estimated: false, ms: 20 }
const noon = new Date(2026, 10, 30, 12).getTime()

it('sums what one owner spent in a run, a chat, a project or since a moment', () => {
  const ada = addUser(temp, 'ada')
  const scope = addRun(temp.store, ada)
  const other = addRun(temp.store, addUser(temp, 'bob'))
  temp.store.charges.add(scope, { ...charge, at: noon })
  temp.store.charges.add(scope, { ...charge, at: noon + 1, nanos: null, estimated: true })
  temp.store.charges.add(other, { ...charge, at: noon })
  const both = { nanos: 7, unpriced: 1, inputTokens: 200, cachedTokens: 80, outputTokens: 20, calls: 2, estimated: 1, ms: 40 }
  expect(temp.store.charges.sum(ada, { runId: scope.runId })).toEqual(both)
  expect(temp.store.charges.sum(ada, { chatId: scope.chatId })).toEqual(both)
  expect(temp.store.charges.sum(ada, { from: noon })).toEqual(both)
  expect(temp.store.charges.sum(ada, { from: noon + 1 })).toMatchObject({ calls: 1, nanos: 0, unpriced: 1 })
  expect(temp.store.charges.sum(ada, { runId: other.runId })).toMatchObject({ calls: 0, nanos: 0 })
})

it('groups by day, project and model', () => {
  const ada = addUser(temp, 'ada')
  const scope = addRun(temp.store, ada)
  const day = 24 * 60 * 60 * 1000
  for (const at of [noon - day, noon, noon]) temp.store.charges.add(scope, { ...charge, at })
  const { group } = temp.store.charges
  const keysBy = (by: Parameters<typeof group>[1]) => group(ada, by, { from: 0, limit: 9 }).map(({ key, calls }) => [key, calls])
  expect(keysBy('day')).toEqual([
    ['2026-11-30', 2],
    ['2026-11-29', 1],
  ])
  expect(keysBy('project')).toEqual([[null, 3]])
  expect(keysBy('chat')).toEqual([[scope.chatId, 3]])
  expect(group(ada, 'day', { from: noon, limit: 9 })).toHaveLength(1)
})

it('what was spent stays spent when its chat is deleted, and goes with its account', () => {
  const ada = addUser(temp, 'ada')
  const scope = addRun(temp.store, ada)
  temp.store.charges.add(scope, { ...charge, at: noon })
  temp.change("UPDATE runs SET status = 'completed' WHERE id = ?", scope.runId)
  expect(temp.store.chats.remove(ada, scope.chatId)).toMatchObject({ ok: true })
  expect(temp.store.charges.sum(ada, { from: 0 })).toMatchObject({ calls: 1, nanos: 7 })
  temp.store.users.remove(ada.userId)
  expect(temp.rows('SELECT count(*) AS n FROM charges')).toEqual([{ n: 0 }])
})
