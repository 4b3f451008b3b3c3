/** From tokens to money, and from a request to what it may come to. */
import type { Charge, ModelRequest, Usage } from '@bridlewise/shared/wire'
import { estimateTokens } from '../llm/bridge.ts'
import { type Amounts, nanosPerDollar } from './amounts.ts'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  /** Of input that came from the provider's cache; null where it is not known, and then charged as any input. */
  readonly cached: number | null
  readonly output: number
}

const million = 1_000_000

/** Tokens kept free for an answer whose length nobody limited. */
export const outputReserve = 4096

/** Billionths of a dollar. Contract: a cached token is charged once, at its own price; no price gives null. */
export function costOf({ inputTokens, cachedTokens, outputTokens }: Usage, price: Price | null): number | null {
  if (!price) return null
  const fresh = Math.max(0, inputTokens - cachedTokens)
  const dollars = fresh * price.input + cachedTokens * (price.cached ?? price.input) + outputTokens * price.output
  return Math.round((dollars / million) * nanosPerDollar)
}

/** A request before it is sent: its prompt as if nothing of it were cached, and room for the answer. */
export interface Projection {
  readonly prompt: number
  readonly amounts: Amounts
}

/** Contract: money is 0 without a price; whoever keeps a ceiling of money has to ask for the price first. */
export function project(request: ModelRequest, price: Price | null): Projection {
  const prompt = estimateTokens(request)
  const output = request.maxOutputTokens ?? outputReserve
  const nanos = costOf({ inputTokens: prompt, cachedTokens: 0, outputTokens: output }, price) ?? 0
  return { prompt, amounts: { nanos, tokens: prompt + output, calls: 1, ms: 0 } }
}

export interface Answer {
  readonly usage: Usage | null
  /** UTF-16 units that came. */
  readonly received: number
  /** The endpoint refused or broke. */
  readonly failed: boolean
  /** Tokens that the prompt was guessed at. */
  readonly prompt: number
}

type Counted = Pick<Charge, 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'estimated'>

/**
 * How many tokens a request took.
 *
 * What the endpoint says counts. Where it says nothing the tokens are guessed, for an answer that nobody
 * counted is not free; a refused request of which nothing came is.
 */
export function countTokens({ usage, received, failed, prompt }: Answer): Counted {
  if (usage && usage.inputTokens + usage.outputTokens > 0) return { ...usage, estimated: false }
  const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: false }
  if (failed && received === 0) return none
  return { ...none, inputTokens: prompt, outputTokens: Math.ceil(received / 4), estimated: true }
}
