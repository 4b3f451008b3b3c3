/** An expected no: typed, explained, and never an exception. */
import type { Fixer, RefusalEntry, Retry } from './entry.ts'
import { type RefusalCode, registry } from './registry.ts'

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  readonly fix: Fixer
  readonly retry: Retry
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Success with a value, or an expected no. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/**
 * Say no with a registered code.
 *
 * `facts` fill the message's places and travel along as `details`, so a script need not read prose.
 */
export function refuse(
  code: RefusalCode,
  facts: Readonly<Record<string, unknown>> = {},
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: makeRefusal(code, facts) }
}

/** The refusal itself, for places that hold one without returning it. */
export function makeRefusal(code: RefusalCode, facts: Readonly<Record<string, unknown>> = {}): Refusal {
  const entry: RefusalEntry = registry[code]
  const message = entry.message.replaceAll(/\{(\w+)\}/g, (place, name: string) => (name in facts ? String(facts[name]) : place))
  const details = Object.keys(facts).length > 0 ? { details: facts } : {}
  return { code, message, fix: entry.fix, retry: entry.retry, ...details }
}
