/** Placeholders: what stands where a secret stood, and how to know one again. */
import { hash } from 'node:crypto'

const pattern = /\[REDACTED:[a-z_]{1,30}:[0-9a-f]{8}\]/g

/**
 * The placeholder for one secret: `[REDACTED:kind:xxxxxxxx]`.
 *
 * Contract: within one salt the same secret always gets the same placeholder, so that a reader can tell
 * two apart; without the salt nothing can be learnt from it, and another salt gives another one.
 */
export function makePlaceholder(salt: string, kind: string, secret: string): string {
  return `[REDACTED:${kind}:${hash('sha256', `${salt}\n${secret}`, 'hex').slice(0, 8)}]`
}

/** Whether a text holds a placeholder. */
export function containsPlaceholder(text: string): boolean {
  return findPlaceholders(text).length > 0
}

/** The placeholders in a text, in order. */
export function findPlaceholders(text: string): string[] {
  return text.match(pattern) ?? []
}

/** The text with every placeholder filled in by a character that no format takes for part of a secret; same length. */
export function maskPlaceholders(text: string): string {
  return text.includes('[REDACTED:') ? text.replaceAll(pattern, (found) => mask.repeat(found.length)) : text
}

const mask = '\u0001'
