import { afterEach, beforeEach, expect, it } from 'vitest'
import { addUser, openTempStore, type TempStore } from '../../tests/support/store.ts'
import type { Owner } from '../storage/index.ts'
import { spellAmount } from './amounts.ts'
import { costOf } from './cost.ts'
import { listedPrices, priceSources } from './price-table.ts'
import { findPrice, removePrice, setPrice } from './prices.ts'

let temp: TempStore
let ada: Owner
beforeEach(async () => {
  temp = await openTempStore()
  ada = addUser(temp, 'ada')
})
afterEach(() => temp[Symbol.asyncDispose]())

const find = (kind: string, modelId: string) => findPrice(temp.store, ada, { kind, modelId })

it.each([
  ['anthropic', 'claude-fable-5-1-20261001', 10],
  ['anthropic', 'claude-fable-5', 10],
  ['anthropic', 'claude-opus-5-5', 4],
  ['anthropic', 'claude-opus-5-20260501', 5],
  ['openai', 'gpt-4.1-mini-2025-04-14', 0.4],
  ['openai', 'gpt-4o-audio-preview', undefined],
  ['openai', 'claude-opus-5', undefined],
  ['custom', 'gpt-4.1', undefined],
])('%s %s costs what the most exact listed row says, or nobody knows', (kind, modelId, input) => {
  expect(find(kind, modelId)?.input).toBe(input)
})

it('a price of one’s own counts before a listed one, and only for its owner', () => {
  const own = { kind: 'openai', model: 'gpt-4.1*', input: 7, cached: null, output: 7 }
  expect(setPrice(temp.store, ada, own)).toBe('set')
  expect(setPrice(temp.store, ada, { ...own, input: 8 })).toBe('set')
  expect(find('openai', 'gpt-4.1-mini')?.input).toBe(8)
  expect(findPrice(temp.store, addUser(temp, 'bob'), { kind: 'openai', modelId: 'gpt-4.1-mini' })?.input).toBe(0.4)
  expect(removePrice(temp.store, ada, own)).toBe(true)
  expect(removePrice(temp.store, ada, own)).toBe(false)
  expect(find('openai', 'gpt-4.1-mini')?.input).toBe(0.4)
})

it('a pattern takes linear time and fits only as a whole', () => {
  setPrice(temp.store, ada, { kind: 'x', model: `${'a*'.repeat(90)}b`, input: 1, cached: null, output: 1 })
  expect(find('x', 'a'.repeat(200))).toBeNull()
  expect(find('x', `${'a'.repeat(199)}b`)).not.toBeNull()
  setPrice(temp.store, ada, { kind: 'y', model: 'ab*ba', input: 1, cached: null, output: 1 })
  expect(find('y', 'aba')).toBeNull()
})

it('a cached token costs its own price, or that of any other while it is not known', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 0 }
  expect(costOf(usage, { input: 1, cached: 0.5, output: 9 })).toBe(800_000_000)
  expect(costOf(usage, { input: 1, cached: null, output: 9 })).toBe(1_000_000_000)
  expect(costOf(usage, null)).toBeNull()
  expect(costOf(usage, { input: 0, cached: null, output: 0 })).toBe(0)
})

it('every listed service says where its figures stand', () => {
  expect([...new Set(listedPrices.map(({ kind }) => kind))].sort()).toEqual(Object.keys(priceSources).sort())
})

it.each([
  [spellAmount('nanos', 2_000_000_000), '$2.00'],
  [spellAmount('nanos', 123_456_789), '$0.1235'],
  [spellAmount('nanos', 4_200), '$0.000004'],
  [spellAmount('nanos', 0), '$0.00'],
  [spellAmount('tokens', 12_000), '12,000 tokens'],
  [spellAmount('calls', 1), '1 model call'],
  [spellAmount('ms', 90_000), '1.5 minutes'],
])('an amount reads %s', (spelled, expected) => expect(spelled).toBe(expected))
