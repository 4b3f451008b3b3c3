import type { WaitingMessage } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore } from '../../../tests/support/store.ts'

const draft = (scope: { chatId: string; runId: string }, more: Partial<WaitingMessage>): WaitingMessage => ({
  id: newId('message'),
  chatId: scope.chatId,
  runId: scope.runId,
  delivery: 'queue',
  mode: 'act',
  model: null,
  text: 'next',
  held: null,
  createdAt: 1,
  ...more,
})

it('keeps order, words and owner, and gives a message away once', async () => {
  await using temp = await openTempStore()
  const scope = addRun(temp.store, addUser(temp, 'ann'))
  const bob = addUser(temp, 'bob')
  const { waiting } = temp.store
  const first = draft(scope, { text: 'one', model: { providerId: 'p', modelId: 'm' } })
  const second = draft(scope, { text: 'two', delivery: 'steer' })
  waiting.add(scope, first)
  waiting.add(scope, second)
  expect(waiting.list(scope, scope.chatId)).toEqual([first, second])
  expect([waiting.list(bob, scope.chatId), waiting.get(bob, first.id), waiting.remove(bob, first.id)]).toEqual([[], null, false])
  expect(waiting.edit(bob, first.id, 'mine').ok).toBe(false)
  expect(waiting.edit(scope, first.id, 'one, and more')).toMatchObject({ ok: true, value: { text: 'one, and more' } })
  expect(waiting.listSteering(scope, scope.runId)).toEqual([second])
  expect([waiting.remove(scope, first.id), waiting.remove(scope, first.id)]).toEqual([true, false])
})

it.each([[null], ['cancelled'], ['failed'], ['interrupted']] as const)(
  'lets what waits start by itself after a run that ended with no reason against it: %s',
  async (held) => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const { waiting } = temp.store
    const late = draft(scope, { delivery: 'steer' })
    waiting.add(scope, late)
    waiting.settle(scope, { ...scope, held })
    expect(waiting.get(scope, late.id)).toMatchObject({ delivery: 'queue', held })
    expect(waiting.next(scope, scope.chatId)?.id).toBe(held === null ? late.id : undefined)
  },
)
