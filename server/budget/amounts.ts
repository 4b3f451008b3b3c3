/** What ceilings count, in which scopes, and how an amount reads. */
import type { ChargeSum } from '../storage/index.ts'

/** From the narrowest to the widest; refusals name the first that does not fit. */
export const scopes = ['run', 'chat', 'project', 'day'] as const
export type Scope = (typeof scopes)[number]

/** Billionths of a US dollar, tokens in and out, requests to a model, and milliseconds that runs took. */
export const measures = ['nanos', 'tokens', 'calls', 'ms'] as const
export type Measure = (typeof measures)[number]

export type Amounts = Readonly<Record<Measure, number>>

export function add(one: Amounts, other: Amounts): Amounts {
  return {
    nanos: one.nanos + other.nanos,
    tokens: one.tokens + other.tokens,
    calls: one.calls + other.calls,
    ms: one.ms + other.ms,
  }
}

export function amountsOf({ nanos, inputTokens, outputTokens, calls, ms }: ChargeSum): Amounts {
  return { nanos, tokens: inputTokens + outputTokens, calls, ms }
}

export const nanosPerDollar = 1_000_000_000
export const msPerMinute = 60_000

/** `$0.0042`, `$2.00`, `12,000 tokens`, `1 call`, `3.5 minutes`. */
export function spellAmount(measure: Measure, value: number): string {
  switch (measure) {
    case 'nanos':
      return spellMoney(value)
    case 'tokens':
      return `${value.toLocaleString('en-US')} tokens`
    case 'calls':
      return `${value.toLocaleString('en-US')} model ${value === 1 ? 'call' : 'calls'}`
    case 'ms':
      return `${(value / msPerMinute).toLocaleString('en-US', { maximumFractionDigits: 1 })} minutes`
  }
}

/** Cents where these say it, and up to millionths below: a cheap request is not nothing. */
function spellMoney(nanos: number): string {
  const dollars = nanos / nanosPerDollar
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 4 : 6
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`
}
