/** What a person sees of what they spent. */
import type { ChargeSum, GroupedCharges, Owner, Store } from '../storage/index.ts'
import { amountsOf, measures, scopes, spellAmount } from './amounts.ts'
import { type CeilingStore, readBounds, readCeilings } from './ceilings.ts'
import { startOfDay } from './purse.ts'

type ReportStore = CeilingStore & Pick<Store, 'charges' | 'projects'>

/** How far back the report goes. */
const reportMs = 90 * 24 * 60 * 60 * 1000
const mostRows = 100

/** `$0.12 of $50.00`, for the day at `now`. */
export function describeToday(store: ReportStore, owner: Owner, now: number): string {
  const spent = store.charges.sum(owner, { from: startOfDay(now) })
  const { nanos, tokens } = readCeilings(store, owner).day
  const money = nanos === null ? spellCost(spent) : `${spellCost(spent)} of ${spellAmount('nanos', nanos)}`
  if (tokens === null) return money
  return `${money}, ${amountsOf(spent).tokens.toLocaleString('en-US')} of ${spellAmount('tokens', tokens)}`
}

export function describeBounds(store: CeilingStore): string {
  const bounds = readBounds(store)
  const said = scopes.flatMap((scope) =>
    measures.flatMap((measure) => {
      const most = bounds[scope][measure]
      return most === null ? [] : [`${spellAmount(measure, most)} for a ${scope}`]
    }),
  )
  return said.length === 0 ? 'no bound' : said.join(', ')
}

export function reportSpend(store: ReportStore, owner: Owner, now: number) {
  const given = { from: startOfDay(now - reportMs), limit: mostRows }
  const names = new Map(store.projects.list(owner).map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null) => (id === null ? 'no project' : (names.get(id) ?? 'a project that is gone'))
  const { charges } = store
  return {
    days: charges.group(owner, 'day', given).map((row) => toRow(row, row.key ?? '')),
    projects: charges.group(owner, 'project', given).map((row) => toRow(row, nameOf(row.key))),
    models: charges.group(owner, 'model', given).map((row) => toRow(row, row.key ?? '')),
  }
}

function toRow(row: GroupedCharges, name: string) {
  const { inputTokens, cachedTokens, outputTokens, calls, ms } = row
  return { key: row.key ?? '', name, cost: spellCost(row), calls, inputTokens, cachedTokens, outputTokens, ms }
}

/** Contract: what has no price is named and never counted as nothing. */
export function spellCost({ nanos, unpriced, calls }: ChargeSum): string {
  if (unpriced === 0) return spellAmount('nanos', nanos)
  if (unpriced === calls) return 'unknown'
  return `${spellAmount('nanos', nanos)} and ${spellAmount('calls', unpriced)} of unknown price`
}
