/** Canonical JSON: one text per value, so that a digest means the same everywhere (RFC 8785 for plain JSON values). */

/** Deeper values are refused: nothing that is recorded nests like that, and recursion must end. */
const maxDepth = 256

/** Thrown for a value that has no canonical form. It is a fault of the caller, who decides what is recorded. */
export class CanonicalFault extends TypeError {
  /** Where in the value, as in `$.calls[2].text`. */
  readonly at: string

  constructor(at: string, problem: string) {
    super(`no canonical form at ${at}: ${problem}`)
    this.name = 'CanonicalFault'
    this.at = at
  }
}

/**
 * Write a value as canonical JSON: members sorted by UTF-16 code units, numbers as ECMAScript prints
 * them, no white space. Texts are not normalised: NFC and NFD stay different values.
 *
 * Contract: throws CanonicalFault for NaN, infinities, big integers, lone surrogates, functions, holes,
 * objects with a prototype of their own, and depth over 256. Members that are `undefined` are left out.
 */
export function canonicalise(value: unknown): string {
  return write(value, '$', 0)
}

/**
 * Copy a plain JSON value with every lone surrogate replaced by U+FFFD, member names included.
 * Model output and file names may hold half characters; this is what makes them recordable.
 */
export function makeWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(makeWellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), makeWellFormed(member)]))
}

function write(value: unknown, at: string, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, at)
    case 'number':
      if (!Number.isFinite(value)) throw new CanonicalFault(at, `${value} is not a JSON number`)
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth >= maxDepth) throw new CanonicalFault(at, `nested deeper than ${maxDepth}`)
      return Array.isArray(value) ? writeArray(value, at, depth) : writeObject(value, at, depth)
    default:
      throw new CanonicalFault(at, `${typeof value} is not JSON`)
  }
}

function writeText(text: string, at: string): string {
  if (!text.isWellFormed()) throw new CanonicalFault(at, 'a lone surrogate')
  return JSON.stringify(text)
}

function writeArray(items: readonly unknown[], at: string, depth: number): string {
  const written: string[] = []
  for (let i = 0; i < items.length; i += 1) written.push(write(items[i], `${at}[${i}]`, depth + 1))
  return `[${written.join(',')}]`
}

function writeObject(value: object, at: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new CanonicalFault(at, 'not a plain object')
  const members = value as Readonly<Record<string, unknown>>
  const written: string[] = []
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member !== undefined) written.push(`${writeText(name, at)}:${write(member, `${at}.${name}`, depth + 1)}`)
  }
  return `{${written.join(',')}}`
}
