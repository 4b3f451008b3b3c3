/**
 * Fields that a vendor adds to calls and answers and wants to see again: signatures of thoughts,
 * details of reasoning. Nobody here reads them; they are kept as they came, within a bound.
 */
import type { ModelMessage, ModelRequest } from '@bridlewise/shared/wire'
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

/**
 * A request without what others thought.
 *
 * Contract: what is left came from this endpoint and this model. Fields of a call go with the thought of its answer.
 */
export function leaveForeignThoughts(request: ModelRequest, endpoint: string): ModelRequest {
  const clear = (message: ModelMessage): ModelMessage => {
    if (message.role !== 'assistant') return message
    const { thought, ...rest } = message
    if (thought?.endpoint === endpoint && thought.modelId === request.modelId) return message
    return { ...rest, calls: rest.calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })) }
  }
  return { ...request, messages: request.messages.map(clear) }
}

/**
 * Fields as they may leave: as they came or not at all, since a signature that was changed is none.
 * `clean` gives a text as it may leave. Gives null where any name or text in them would be another.
 */
export async function fieldsUnchanged(fields: Fields, clean: (text: string) => Promise<string>): Promise<Fields | null> {
  for (const text of textsWithin(fields)) if ((await clean(text)) !== text) return null
  return fields
}

/** Every name and text, at any depth. */
export function* textsWithin(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsWithin(one)
  else if (isRecord(value)) {
    for (const [name, held] of Object.entries(value)) {
      yield name
      yield* textsWithin(held)
    }
  }
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
