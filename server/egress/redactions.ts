/** What a person has replaced besides the known shapes of secrets: words and patterns of their own. */
import { randomBytes } from 'node:crypto'
import { checkOwnRule, createBoundedRedactor, type OwnRule, type Redaction } from '@bridlewise/engine'
import type { OwnRedaction } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Store } from '../storage/index.ts'

type RedactionStore = Pick<Store, 'settings'>

/** Each one is looked for in every text. */
export const redactionsPerOwner = 50

/** The owner's own, oldest first. */
export function readRedactions({ settings }: RedactionStore, owner: Owner): readonly OwnRedaction[] {
  return settings.get(owner, 'redactions') ?? []
}

/** Refuses: redaction_invalid, with what to write instead; redactions_full. */
export function addRedaction(store: RedactionStore, owner: Owner, added: OwnRedaction): Result<OwnRedaction> {
  const checked = checkOwnRule(added)
  if (!checked.ok) return checked
  const kept = readRedactions(store, owner)
  if (kept.length >= redactionsPerOwner) return refuse('redactions_full', { limit: redactionsPerOwner })
  store.settings.set(owner, 'redactions', [...kept, added])
  return ok(added)
}

/** Refuses: thing_unknown. */
export function removeRedaction(store: RedactionStore, owner: Owner, id: string): Result<void> {
  const kept = readRedactions(store, owner)
  const left = kept.filter((redaction) => redaction.id !== id)
  if (left.length === kept.length) return refuse('thing_unknown', { kind: 'redaction' })
  store.settings.set(owner, 'redactions', left)
  return ok(undefined)
}

export interface Trial {
  readonly text: string
  readonly rules: readonly OwnRule[]
}

/**
 * What would be replaced in a text by shape and by rules.
 *
 * Contract: stored keys are left out, or the answer would confirm a guess of one to whoever holds the session.
 * Refuses: redaction_invalid, redaction_failed.
 */
export async function tryRedactions({ text, rules }: Trial, signal: AbortSignal): Promise<Result<Redaction>> {
  const refused = rules.map(checkOwnRule).find((checked) => !checked.ok)
  if (refused && !refused.ok) return refused
  const redactor = createBoundedRedactor({ salt: randomBytes(16).toString('hex'), rules })
  try {
    return await redactor.redact(text, signal)
  } finally {
    await redactor.close()
  }
}
