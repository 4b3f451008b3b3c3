/** The words and figures of the context meter. */
import type { ChatContext, ChatSpend } from '@bridlewise/shared'
import type { ContextMeter, ContextParts } from '@bridlewise/shared/wire'
import { formatExact } from '../../parts/format.ts'

/** How full, in whole percent; null where nobody knows what the model takes. Contract: something is never 0. */
export function fullness({ tokens, window }: Pick<ContextMeter, 'tokens' | 'window'>): number | null {
  if (window === null || window === 0) return null
  const percent = Math.round((tokens / window) * 100)
  return tokens > 0 ? Math.max(1, percent) : percent
}

/** Earlier turns are summarised by themselves from here on. */
export function isNearlyFull({ tokens, compactAt }: Pick<ContextMeter, 'tokens' | 'compactAt'>): boolean {
  return compactAt !== null && tokens >= compactAt
}

/** The meter as a sentence. */
export function describeFullness(meter: Pick<ContextMeter, 'tokens' | 'window'> | null): string {
  if (meter === null) return 'Context: nothing was sent yet'
  const of = meter.window === null ? '' : ` of ${formatExact(meter.window)}`
  return `Context: about ${formatExact(meter.tokens)}${of} tokens`
}

/** The sum for the header; null before the first call. Contract: a sum that is not known whole is not given as one. */
export function shortSpend({ cost, calls, unpriced }: Pick<ChatSpend, 'cost' | 'calls' | 'unpriced'>): string | null {
  if (calls === 0) return null
  return unpriced ? 'price unknown' : cost
}

/** What to say of the ceiling that is nearest; null while there is room below all of them. */
export function tightest({ ceilings }: Pick<ChatSpend, 'ceilings'>): string | null {
  if (ceilings.some(({ state }) => state === 'reached')) return 'ceiling reached'
  return ceilings.some(({ state }) => state === 'near') ? 'ceiling near' : null
}

const titles: Readonly<Record<keyof ContextParts, string>> = {
  system: 'System prompt',
  tools: 'Tools',
  instructions: 'Instruction files',
  goal: 'Goal',
  summary: 'Summary of earlier turns',
  history: 'What was said',
  results: 'Results of tools',
}

export interface MeterPart {
  readonly title: string
  readonly tokens: number
}

/** What takes room, in the order in which it is sent. */
export function partsOf({ parts }: Pick<ContextMeter, 'parts'>): MeterPart[] {
  const names = Object.keys(titles) as (keyof ContextParts)[]
  return names.map((name) => ({ title: titles[name], tokens: parts[name] })).filter(({ tokens }) => tokens > 0)
}

export function describeWindow({ from }: ChatContext['window']): string {
  if (from === 'person') return 'You set what this model takes.'
  return from === 'profile'
    ? "What this model takes is from its endpoint's profile."
    : 'Nobody knows what this model takes, so nothing is summarised by itself. A probe under Providers may find out.'
}

export interface SummaryChoice {
  readonly label: string
  readonly upTo: number
}

/** What can be done about the newest summary: take it back while it is in force, or use it after that; null without one. */
export function summaryChoice({ compactions, boundary }: Pick<ChatContext, 'compactions' | 'boundary'>): SummaryChoice | null {
  const [newest, before] = compactions
  if (!newest) return null
  return boundary === newest.upTo
    ? { label: 'Undo summary', upTo: before?.upTo ?? 0 }
    : { label: 'Use the summary again', upTo: newest.upTo }
}
