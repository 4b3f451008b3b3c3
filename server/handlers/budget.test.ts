import { expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { codeOf, mustOk, openRunHouse, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith } from '../../tests/support/script.ts'
import { addUser } from '../../tests/support/store.ts'
import { createBudgetHandlers } from './budget.ts'

const clock = { now: Date.now, elapsed: () => performance.now() }

function handlersOf({ store }: RunRoom) {
  return createBudgetHandlers({ store, clock })
}

it('what was spent is told by day, project and model, and nobody is told of another', async () => {
  await using house = await openRunHouse(() => answersWith('ok'))
  const { room } = house
  const budget = handlersOf(room)
  const own = contextOf(room.owner)
  await room.watch(mustOk(await room.start({})).id)
  expect(mustOk(await budget.spend(own, {}))).toMatchObject({
    days: [{ cost: 'unknown', calls: 1, inputTokens: 100 }],
    projects: [{ name: 'no project' }],
    models: [{ name: 'scripted' }],
  })
  mustOk(await budget.setPrice(own, { kind: 'custom', model: 'scripted', input: 10, cached: null, output: 0 }))
  await room.watch(mustOk(await room.start({})).id)
  expect(mustOk(await budget.spend(own, {})).days).toMatchObject([{ cost: '$0.001 and 1 model call of unknown price', calls: 2 }])
  expect(mustOk(await budget.get(own, {})).today).toContain('of $50.00')
  const other = contextOf(addUser(room.temp, 'bob'))
  expect(mustOk(await budget.spend(other, {})).days).toEqual([])
  expect(mustOk(await budget.prices(other, {})).prices.filter(({ source }) => source === 'you')).toEqual([])
  mustOk(await budget.removePrice(own, { kind: 'custom', model: 'scripted' }))
  expect(codeOf(await budget.removePrice(own, { kind: 'custom', model: 'scripted' }))).toBe('thing_unknown')
})

it('ceilings come back as they were chosen, and only an administrator bounds them', async () => {
  await using house = await openRunHouse([])
  const { room } = house
  const budget = handlersOf(room)
  const own = contextOf(room.owner)
  const { ceilings } = mustOk(await budget.get(own, {}))
  const chosen = { ...ceilings, runMoney: 1.5, chatMinutes: 90, dayCalls: 7 }
  mustOk(await budget.setCeilings(own, chosen))
  expect(mustOk(await budget.get(own, {})).ceilings).toEqual(chosen)
  expect(codeOf(await budget.setBounds(own, chosen))).toBe('access_denied')
  room.temp.change("UPDATE users SET role = 'admin' WHERE id = ?", room.owner.userId)
  mustOk(await budget.setBounds(own, { ...chosen, runMoney: 1 }))
  expect(mustOk(await budget.get(own, {})).ceilings.runMoney).toBe(1)
  expect(codeOf(await budget.setCeilings(own, chosen))).toBe('budget_bound')
})

it('what a chat came to is told with the ceilings that count for it', async () => {
  await using house = await openRunHouse(() => answersWith('ok'))
  const { room } = house
  const budget = handlersOf(room)
  const own = contextOf(room.owner)
  const { ceilings } = mustOk(await budget.get(own, {}))
  const run = mustOk(await room.start({}))
  await room.watch(run.id)
  const { spend } = mustOk(await budget.chat(own, { chatId: run.chatId }))
  expect(spend).toMatchObject({ cost: 'unknown', unpriced: true, calls: 1, inputTokens: 100 })
  expect(spend.ceilings.map(({ scope, state }) => `${scope} ${state}`)).toEqual(['run room', 'run room', 'day room', 'day room'])
  const states = async (chatTokens: number) => {
    mustOk(await budget.setCeilings(own, { ...ceilings, chatTokens }))
    const { spend: now } = mustOk(await budget.chat(own, { chatId: run.chatId }))
    return now.ceilings.filter(({ scope }) => scope === 'chat').map(({ state }) => state)
  }
  const used = spend.inputTokens + spend.outputTokens
  expect(await states(used * 2)).toEqual(['room'])
  expect(await states(used + 1)).toEqual(['near'])
  expect(await states(used)).toEqual(['reached'])
  expect(codeOf(await budget.chat(contextOf(addUser(room.temp, 'bob')), { chatId: run.chatId }))).toBe('thing_unknown')
})
