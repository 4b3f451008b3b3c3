/** Values in replies, found by the places that a served block names. */

/** The value at a dotted path; undefined where there is none. Only own properties count. */
export function valueAt(reply: unknown, path: string): unknown {
  let value = reply
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

export type ServedRow = Readonly<Record<string, unknown>>

/** Rows under a key of the reply; anything that is not an object is left out. */
export function rowsAt(reply: unknown, path: string): ServedRow[] {
  const rows = valueAt(reply, path)
  return Array.isArray(rows) ? rows.filter((row): row is ServedRow => typeof row === 'object' && row !== null) : []
}

/** Put a row's values into the `{field}` places of a sentence. */
export function fillPlaces(sentence: string, row: ServedRow): string {
  return sentence.replaceAll(/\{([\w.]+)\}/g, (place, path: string) => {
    const value = valueAt(row, path)
    return value === undefined || value === null ? place : String(value)
  })
}

/** Inputs that an action takes from the row it stands on: `{ tokenId: 'id' }`. */
export function fillInput(fill: Readonly<Record<string, string>> | undefined, row: ServedRow | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fill ?? {}).map(([input, field]) => [input, valueAt(row, field)]))
}

export interface ReplyLine {
  readonly name: string
  readonly value: unknown
}

/** A reply as lines to read: the fields of the one thing it holds, or its own. Empty for `{}`. */
export function replyLines(reply: unknown): ReplyLine[] {
  if (typeof reply !== 'object' || reply === null) return []
  const own = Object.entries(reply)
  const [only] = own
  const inner =
    own.length === 1 && only && typeof only[1] === 'object' && only[1] !== null && !Array.isArray(only[1]) ? only[1] : null
  return (inner ? Object.entries(inner) : own).map(([name, value]) => ({ name, value }))
}
