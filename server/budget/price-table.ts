/**
 * Prices that come with the product, in US dollars for a million tokens of text at the standard rate.
 *
 * Only what could be looked up stands here; a model that is not listed has no price, and no price is
 * not 0. Surcharges for long prompts, for writing to a cache and for faster service are not modelled.
 */
import type { Price } from './cost.ts'

/** When the table was last held against its sources. */
export const pricesCheckedOn = '2026-11-30'

export interface ListedPrice extends Price {
  /** The service, as a provider names it. */
  readonly kind: string
  /** Of the model's id; `*` stands for anything. */
  readonly model: string
}

/** Where the figures of a service stand. */
export const priceSources: Readonly<Record<string, string>> = {
  anthropic: 'https://platform.claude.com/docs/en/about-claude/pricing',
  openai: 'https://developers.openai.com/api/docs/pricing',
}

type Row = readonly [model: string, input: number, cached: number | null, output: number]

const rows: Readonly<Record<string, readonly Row[]>> = {
  anthropic: [
    ['claude-fable-5-1*', 10, 0.25, 50],
    ['claude-fable-5*', 10, 1, 50],
    ['claude-opus-5-5*', 4, null, 20],
    ['claude-opus-5*', 5, 0.5, 25],
    ['claude-opus-4-5*', 5, 0.5, 25],
    ['claude-opus-4-6*', 5, 0.5, 25],
    ['claude-opus-4-7*', 5, 0.5, 25],
    ['claude-opus-4-8*', 5, 0.5, 25],
    ['claude-opus-4-1*', 15, 1.5, 75],
    ['claude-opus-4-2*', 15, 1.5, 75],
    ['claude-sonnet-5-5*', 2, 0.2, 10],
    ['claude-sonnet-5*', 2, 0.2, 10],
    ['claude-sonnet-4*', 3, 0.3, 15],
    ['claude-haiku-4-5*', 1, 0.1, 5],
    ['claude-3-5-haiku*', 0.8, 0.08, 4],
    ['claude-3-haiku*', 0.25, 0.03, 1.25],
  ],
  openai: [
    ['gpt-6-sol*', 2, 0.2, 10],
    ['gpt-6-luna*', 0.1, 0.01, 0.5],
    ['gpt-4.1', 2, 0.5, 8],
    ['gpt-4.1-20*', 2, 0.5, 8],
    ['gpt-4.1-mini*', 0.4, 0.1, 1.6],
    ['gpt-4.1-nano*', 0.1, 0.025, 0.4],
    ['gpt-4o', 2.5, 1.25, 10],
    ['gpt-4o-2024-08-06', 2.5, 1.25, 10],
    ['gpt-4o-2024-11-20', 2.5, 1.25, 10],
    ['gpt-4o-mini', 0.15, 0.075, 0.6],
    ['gpt-4o-mini-2024-07-18', 0.15, 0.075, 0.6],
  ],
}

export const listedPrices: readonly ListedPrice[] = Object.entries(rows).flatMap(([kind, listed]) =>
  listed.map(([model, input, cached, output]) => ({ kind, model, input, cached, output })),
)
