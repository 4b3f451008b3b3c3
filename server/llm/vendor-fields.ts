/**
 * Fields that a vendor adds to calls and answers and wants to see again: signatures of thoughts,
 * details of reasoning. Nobody here reads them; they are kept as they came, within a bound.
 */
import { isRecord } from './failures.ts'

type Fields = Readonly<Record<string, unknown>>

/** Of all that is kept of one call or answer, as JSON. More is no signature. */
const mostCharacters = 64 * 1024

/** Fields of a record that are none of `own` and hold something; null when there are none. */
export function fieldsBeyond(record: Fields, own: ReadonlySet<string>): Fields | null {
  let found: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(record)) {
    if (own.has(name) || value === null || value === undefined) continue
    found ??= {}
    found[name] = value
  }
  return found
}

/** Named fields of a record that hold something. */
export function fieldsAmong(record: Fields, names: readonly string[]): Fields | null {
  const present = names.filter((name) => record[name] !== null && record[name] !== undefined)
  return present.length === 0 ? null : Object.fromEntries(present.map((name) => [name, record[name]]))
}

/**
 * What came before and what comes now as one: lists grow, objects merge, anything else is replaced.
 *
 * Contract: what would outgrow the bound is left out whole; half a signature is worse than none.
 */
export function mergeFields(before: Fields | null, more: Fields | null): Fields | null {
  if (more === null) return before
  const merged = before === null ? more : merge(before, more)
  return JSON.stringify(merged).length <= mostCharacters ? merged : before
}

function merge(before: Fields, more: Fields): Fields {
  const merged: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(more)) {
    const known = merged[name]
    if (Array.isArray(known) && Array.isArray(value)) merged[name] = [...known, ...value]
    else merged[name] = isRecord(known) && isRecord(value) ? merge(known, value) : value
  }
  return merged
}
