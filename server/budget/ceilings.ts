/** How much may be spent: what a person chose, within what an administrator allows. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Store, StoredCeilings } from '../storage/index.ts'
import { type Measure, measures, nanosPerDollar, type Scope, scopes, spellAmount } from './amounts.ts'

export type Ceilings = StoredCeilings
export type CeilingStore = Pick<Store, 'settings' | 'bounds' | 'users'>

const none = { nanos: null, tokens: null, calls: null, ms: null }
const million = 1_000_000

/** For whoever chose nothing: high enough for honest work, low enough that a night of looping is no disaster. */
export const usualCeilings: Ceilings = {
  run: { ...none, nanos: 5 * nanosPerDollar, tokens: 10 * million },
  chat: none,
  project: none,
  day: { ...none, nanos: 50 * nanosPerDollar, tokens: 100 * million },
}

/** Contract: never above what an administrator allows, also when that was lowered afterwards. */
export function readCeilings(store: CeilingStore, owner: Owner): Ceilings {
  const chosen = store.settings.get(owner, 'ceilings') ?? usualCeilings
  return mapCeilings((scope, measure) => lower(chosen[scope][measure], readBound(store, scope, measure)))
}

/** What an administrator allows at most; null where they said nothing. */
export function readBounds(store: CeilingStore): Ceilings {
  return mapCeilings((scope, measure) => readBound(store, scope, measure))
}

/** Refuses: budget_bound, when one of them is above what an administrator allows. */
export function setCeilings(store: CeilingStore, owner: Owner, wanted: Ceilings): Result<'set'> {
  for (const scope of scopes) {
    for (const measure of measures) {
      const most = readBound(store, scope, measure)
      const value = wanted[scope][measure]
      if (most !== null && (value === null || value > most))
        return refuse('budget_bound', { scope, most: spellAmount(measure, most) })
    }
  }
  store.settings.set(owner, 'ceilings', wanted)
  return ok('set')
}

/** Contract: reads the role of whoever acts anew. Refuses: access_denied. */
export function setBounds(store: CeilingStore, acting: Owner, most: Ceilings): Result<'set'> {
  if (store.users.get(acting.userId)?.role !== 'admin') return refuse('access_denied')
  for (const scope of scopes) for (const measure of measures) store.bounds.set(nameOf(scope, measure), most[scope][measure])
  return ok('set')
}

export function mapCeilings(value: (scope: Scope, measure: Measure) => number | null): Ceilings {
  const ofScope = (scope: Scope) => ({
    nanos: value(scope, 'nanos'),
    tokens: value(scope, 'tokens'),
    calls: value(scope, 'calls'),
    ms: value(scope, 'ms'),
  })
  return { run: ofScope('run'), chat: ofScope('chat'), project: ofScope('project'), day: ofScope('day') }
}

function readBound({ bounds }: CeilingStore, scope: Scope, measure: Measure): number | null {
  return bounds.read(nameOf(scope, measure))
}

function nameOf(scope: Scope, measure: Measure): string {
  return `budget.${scope}.${measure}`
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}
