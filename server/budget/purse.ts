/**
 * The purse of a run: each request is held against every ceiling before it is sent.
 *
 * What requests on their way may come to is held in memory, beside what the record says was spent. A
 * server that dies forgets what was held, and the record then says what was sent; there is one server
 * to a data home, so nothing else holds anything.
 */
import type { Clock, Purse, PurseLimit } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Charge, Egress, ModelRequest } from '@bridlewise/shared/wire'
import type { ChargeFilter, Owner, Store } from '../storage/index.ts'
import { type Amounts, add, amountsOf, type Measure, measures, type Scope, scopes, spellAmount } from './amounts.ts'
import { type CeilingStore, readCeilings } from './ceilings.ts'
import { costOf, countTokens, type Price, project } from './cost.ts'
import { findPrice } from './prices.ts'

export interface BudgetParts {
  readonly store: CeilingStore & Pick<Store, 'charges'>
  readonly clock: Clock
}

/** What is paid for, and by whom. */
export interface Payer extends Owner {
  readonly runId: string
  readonly chatId: string
  readonly projectId: string | null
  /** The service, as its provider names it. */
  readonly kind: string
  readonly modelId: string
  /** Who is asked for titles and summaries, where it is another model. */
  readonly small?: PricedModel
}

export interface PricedModel {
  readonly kind: string
  readonly modelId: string
}

export interface Budget {
  purseFor(payer: Payer): Purse
  /** What a request comes to whose answer nobody saw end: its prompt, as guessed from its bytes. */
  chargeUnanswered(payer: Payer, egress: Pick<Egress, 'bytes'>): Charge
}

interface Held {
  readonly payer: Payer
  readonly amounts: Amounts
}

export function createBudget(parts: BudgetParts): Budget {
  const held = new Set<Held>()
  const priceFor = (payer: Payer, asked: PricedModel) => findPrice(parts.store, payer, asked)
  return {
    purseFor(payer) {
      let chargedAt = parts.clock.elapsed()
      const purse: Purse = {
        cut: (most) => cutPurse({ purse, most, priceOf: (request) => priceFor(payer, askedOf(payer, request)) }),
        admit(request) {
          const asked = askedOf(payer, request)
          const price = priceFor(payer, asked)
          const { prompt, amounts } = project(request, price)
          const since = parts.clock.elapsed() - chargedAt
          const admitted = checkCeilings({ parts, held }, payer, { amounts, price, since, request })
          if (!admitted.ok) return admitted
          const entry = { payer, amounts }
          held.add(entry)
          return ok({
            charge(answered) {
              const now = parts.clock.elapsed()
              const ms = Math.max(0, Math.round(now - chargedAt))
              chargedAt = now
              const counted = countTokens({ ...answered, prompt })
              const other = asked === payer ? {} : { modelId: asked.modelId }
              return { ...counted, nanos: costOf(counted, price), ms, ...other }
            },
            release: () => void held.delete(entry),
          })
        },
      }
      return purse
    },
    chargeUnanswered(payer, { bytes }) {
      const counted = countTokens({ usage: null, received: 0, failed: false, prompt: Math.ceil(bytes / 4) })
      return { ...counted, nanos: costOf(counted, priceFor(payer, payer)), ms: 0 }
    },
  }
}

/** Whom a request goes to. */
function askedOf(payer: Payer, { purpose }: ModelRequest): PricedModel {
  return purpose !== undefined && payer.small ? payer.small : payer
}

interface Cut {
  /** What it is cut from, which keeps every wider ceiling and the record. */
  readonly purse: Purse
  readonly most: PurseLimit
  readonly priceOf: (request: ModelRequest) => Price | null
}

/** A part of a purse. What its requests came to, and what those on their way may come to, counts against it too. */
function cutPurse({ purse, most, priceOf }: Cut): Purse {
  const limits: Amounts = { ...unlimited, tokens: most.tokens ?? unlimited.tokens, nanos: most.nanos ?? unlimited.nanos }
  const held = new Set<Amounts>()
  let spent: Amounts = { nanos: 0, tokens: 0, calls: 0, ms: 0 }
  const part: Purse = {
    cut: (less) => cutPurse({ purse: part, most: less, priceOf }),
    admit(request) {
      const price = priceOf(request)
      const { amounts } = project(request, price)
      const used = [...held].reduce(add, spent)
      if (most.nanos !== null && price === null) return refuse('price_unknown', { scope: 'task', modelId: request.modelId })
      for (const measure of ['tokens', 'nanos'] as const) {
        if (used[measure] + amounts[measure] <= limits[measure]) continue
        return refuse(
          'task_budget_spent',
          spell(measure, { ceiling: limits[measure], used: used[measure], projected: amounts[measure] }),
        )
      }
      const admitted = purse.admit(request)
      if (!admitted.ok) return admitted
      held.add(amounts)
      return ok({
        charge(answered) {
          const charge = admitted.value.charge(answered)
          const tokens = charge.inputTokens + charge.outputTokens
          spent = add(spent, { tokens, nanos: charge.nanos ?? 0, calls: 1, ms: charge.ms })
          return charge
        },
        release() {
          held.delete(amounts)
          admitted.value.release()
        },
      })
    },
  }
  return part
}

const unlimited: Amounts = { nanos: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER, calls: 0, ms: 0 }

/** Midnight of the server's clock. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

interface Wanted {
  readonly amounts: Amounts
  readonly price: Price | null
  /** Milliseconds of the run that no charge holds yet. */
  readonly since: number
  readonly request: ModelRequest
}

function checkCeilings(
  { parts, held }: { readonly parts: BudgetParts; readonly held: ReadonlySet<Held> },
  payer: Payer,
  { amounts, price, since, request }: Wanted,
): Result<'fits'> {
  const ceilings = readCeilings(parts.store, payer)
  for (const scope of scopes) {
    const limits = ceilings[scope]
    const filter = filterOf(scope, payer, parts.clock.now())
    if (filter === null || measures.every((measure) => limits[measure] === null)) continue
    const spent = amountsOf(parts.store.charges.sum(payer, filter))
    const waiting = [...held].filter((entry) => isIn(scope, entry.payer, payer)).map((entry) => entry.amounts)
    const used = waiting.reduce(add, { ...spent, ms: spent.ms + since })
    for (const measure of measures) {
      const ceiling = limits[measure]
      if (ceiling === null) continue
      if (measure === 'nanos' && price === null) {
        if (limits.tokens === null) return refuse('price_unknown', { scope, modelId: request.modelId })
      } else if (used[measure] + Math.max(1, amounts[measure]) > ceiling) {
        return refuseOver({ scope, measure, ceiling, used: used[measure], projected: amounts[measure] })
      }
    }
  }
  return ok('fits')
}

/** Null where the scope does not apply. */
export function filterOf(
  scope: Scope,
  { runId, chatId, projectId }: Pick<Payer, 'runId' | 'chatId' | 'projectId'>,
  now: number,
): ChargeFilter | null {
  switch (scope) {
    case 'run':
      return { runId }
    case 'chat':
      return { chatId }
    case 'project':
      return projectId === null ? null : { projectId }
    case 'day':
      return { from: startOfDay(now) }
  }
}

function isIn(scope: Scope, one: Payer, other: Payer): boolean {
  if (one.userId !== other.userId) return false
  if (scope === 'run') return one.runId === other.runId
  if (scope === 'chat') return one.chatId === other.chatId
  return scope === 'day' || one.projectId === other.projectId
}

interface Over {
  readonly scope: Scope
  readonly measure: Measure
  readonly ceiling: number
  readonly used: number
  readonly projected: number
}

function refuseOver({ scope, measure, ...over }: Over) {
  return refuse('budget_exceeded', { scope, ...spell(measure, over), amounts: { measure, ...over } })
}

type Sums = Pick<Over, 'ceiling' | 'used' | 'projected'>

function spell(measure: Measure, { ceiling, used, projected }: Sums): Record<keyof Sums, string> {
  return {
    ceiling: spellAmount(measure, ceiling),
    used: spellAmount(measure, used),
    projected: spellAmount(measure, projected),
  }
}
