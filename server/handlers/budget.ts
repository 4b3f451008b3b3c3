import type { Clock } from '@bridlewise/engine'
import type { budget, Handlers } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import {
  type Ceilings,
  describeBounds,
  describeToday,
  exportSpend,
  listedPrices,
  mapCeilings,
  mostOwnPrices,
  priceSources,
  pricesCheckedOn,
  readCeilings,
  readChatSpend,
  readOwnPrices,
  removePrice,
  reportSpend,
  setBounds,
  setCeilings,
  setPrice,
} from '../budget/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Store } from '../storage/index.ts'

export interface BudgetHandlerParts {
  readonly store: Pick<Store, 'settings' | 'bounds' | 'users' | 'charges' | 'projects' | 'chats' | 'runs'>
  readonly clock: Clock
}

/** What one of the wire's units is in the units of the room. */
const units = { nanos: 1_000_000_000, tokens: 1, calls: 1, ms: 60_000 } as const
const words = { nanos: 'Money', tokens: 'Tokens', calls: 'Calls', ms: 'Minutes' } as const

type Scope = keyof Ceilings
type Field = `${Scope}${(typeof words)[keyof typeof words]}`
type WireCeilings = Record<Field, number | null>

function fromWire(given: Readonly<WireCeilings>): Ceilings {
  return mapCeilings((scope, measure) => {
    const value = given[`${scope}${words[measure]}`]
    return value === null ? null : Math.round(value * units[measure])
  })
}

function toWire(ceilings: Ceilings): WireCeilings {
  const wire: Partial<WireCeilings> = {}
  mapCeilings((scope, measure) => {
    const value = ceilings[scope][measure]
    wire[`${scope}${words[measure]}`] = value === null ? null : value / units[measure]
    return value
  })
  return wire as WireCeilings
}

export function createBudgetHandlers({ store, clock }: BudgetHandlerParts): Handlers<typeof budget, CallContext> {
  return {
    get: async (context) => {
      const owner = callerOf(context)
      const ceilings = toWire(readCeilings(store, owner))
      return ok({ ceilings, today: describeToday(store, owner, clock.now()), most: describeBounds(store) })
    },
    setCeilings: async (context, wanted) => {
      const set = setCeilings(store, callerOf(context), fromWire(wanted))
      return set.ok ? ok({}) : set
    },
    setBounds: async (context, most) => {
      const set = setBounds(store, callerOf(context), fromWire(most))
      return set.ok ? ok({}) : set
    },
    spend: async (context) => ok(reportSpend(store, callerOf(context), clock.now())),
    chat: async (context, { chatId }) => readChatSpend({ store, clock }, callerOf(context), chatId),
    export: async (context) => ok(exportSpend(store, callerOf(context))),
    prices: async (context) => {
      const own = readOwnPrices(store, callerOf(context)).map((price) => ({ ...price, source: 'you' }))
      const listed = listedPrices.map((price) => ({ ...price, source: priceSources[price.kind] ?? '' }))
      const prices = [...own, ...listed].map((price) => ({ ...price, id: `${price.source} ${price.kind} ${price.model}` }))
      return ok({ checkedOn: pricesCheckedOn, prices })
    },
    setPrice: async (context, price) => {
      const set = setPrice(store, callerOf(context), price)
      return set === 'set' ? ok({}) : refuse('prices_full', { limit: mostOwnPrices })
    },
    removePrice: async (context, price) =>
      removePrice(store, callerOf(context), price) ? ok({}) : refuse('thing_unknown', { kind: 'price' }),
  }
}
