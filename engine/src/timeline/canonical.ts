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
  return write(value, [])
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

/** `path` is where the value stands. It is put into words only for a fault: each entry of the ledger comes through here. */
function write(value: unknown, path: Path): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, path)
    case 'number':
      if (!Number.isFinite(value)) throw faultAt(path, `${value} is not a JSON number`)
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (path.length >= maxDepth) throw faultAt(path, `nested deeper than ${maxDepth}`)
      return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path)
    default:
      throw faultAt(path, `${typeof value} is not JSON`)
  }
}

function writeText(text: string, path: Path): string {
  if (!text.isWellFormed()) throw faultAt(path, 'a lone surrogate')
  return JSON.stringify(text)
}

function writeArray(items: readonly unknown[], path: Path): string {
  let written = ''
  for (let i = 0; i < items.length; i += 1) {
    path.push(i)
    written += `${i === 0 ? '' : ','}${write(items[i], path)}`
    path.pop()
  }
  return `[${written}]`
}

function writeObject(value: object, path: Path): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw faultAt(path, 'not a plain object')
  const members = value as Readonly<Record<string, unknown>>
  let written = ''
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member === undefined) continue
    written += `${written === '' ? '' : ','}${writeText(name, path)}:`
    path.push(name)
    written += write(member, path)
    path.pop()
  }
  return `{${written}}`
}

/** Names of members and places in arrays, from the outside in. */
type Path = (string | number)[]

function faultAt(path: Path, problem: string): CanonicalFault {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
  return new CanonicalFault(`$${steps.join('')}`, problem)
}
