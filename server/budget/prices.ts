/** Which price counts: one's own before the listed ones, and the more exact before the more general. */
import type { Owner, Store, StoredPrice } from '../storage/index.ts'
import type { Price } from './cost.ts'
import { listedPrices } from './price-table.ts'

export type PriceStore = Pick<Store, 'settings'>

/** Prices of one's own that are kept. */
export const mostOwnPrices = 200

export function readOwnPrices({ settings }: PriceStore, owner: Owner): readonly StoredPrice[] {
  return settings.get(owner, 'prices') ?? []
}

/** Null when nobody knows it, which is not 0. */
export function findPrice(
  store: PriceStore,
  owner: Owner,
  model: { readonly kind: string; readonly modelId: string },
): Price | null {
  return best(readOwnPrices(store, owner), model) ?? best(listedPrices, model)
}

/** Contract: one price for a service and pattern; a second one takes the place of the first. */
export function setPrice({ settings }: PriceStore, owner: Owner, price: StoredPrice): 'set' | 'full' {
  const others = readOwnPrices({ settings }, owner).filter((own) => !isSame(own, price))
  if (others.length >= mostOwnPrices) return 'full'
  settings.set(owner, 'prices', [...others, price])
  return 'set'
}

/** False when there was none. */
export function removePrice({ settings }: PriceStore, owner: Owner, price: Pick<StoredPrice, 'kind' | 'model'>): boolean {
  const own = readOwnPrices({ settings }, owner)
  const others = own.filter((one) => !isSame(one, price))
  settings.set(owner, 'prices', others)
  return others.length < own.length
}

function isSame(one: Pick<StoredPrice, 'kind' | 'model'>, other: Pick<StoredPrice, 'kind' | 'model'>): boolean {
  return one.kind === other.kind && one.model === other.model
}

function best<P extends StoredPrice>(
  prices: readonly P[],
  { kind, modelId }: { readonly kind: string; readonly modelId: string },
): P | null {
  const fitting = prices.filter((price) => price.kind === kind && fits(price.model, modelId))
  return fitting.reduce<P | null>((found, price) => (found && found.model.length >= price.model.length ? found : price), null)
}

/** Contract: linear in both, whatever the pattern. */
function fits(pattern: string, id: string): boolean {
  const parts = pattern.split('*')
  const [first = '', ...rest] = parts
  if (rest.length === 0) return pattern === id
  const last = rest.pop() ?? ''
  if (!id.startsWith(first) || id.length < first.length + last.length || !id.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = id.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= id.length - last.length
}
