/** Takes names, places and secrets out of texts that leave the house. What stands for them is the same throughout a bundle. */
import { randomBytes } from 'node:crypto'
import { createRedactor, type OwnRule } from '@bridlewise/engine'

/** What must not be read, and what is read in its place. */
export interface Hidden {
  readonly text: string
  /** `<home>`, `<user 1>`. */
  readonly stand: string
  /** A path is found inside longer ones; a word only where it stands alone. */
  readonly as: 'path' | 'word'
}

export interface HideParts {
  readonly hidden: readonly Hidden[]
  /** Stored secrets, found in their usual encodings, too. Those that only look like one are found anyway. */
  readonly secrets: readonly string[]
  /** What people have replaced besides. */
  readonly rules: readonly OwnRule[]
}

/**
 * A function that hides in every text of a value.
 *
 * Contract: keys of objects stay as they are; they are the program's own words. The longest of several
 * that fit is hidden, in any case, in one pass: what stands for something is not hidden again.
 */
export function createHider({ hidden, secrets, rules }: HideParts): <Value>(value: Value) => Value {
  const stands = new Map(hidden.map(({ text, stand }) => [text.toLowerCase(), stand]))
  const longestFirst = hidden.filter(({ text }) => text.trim() !== '').sort((one, other) => other.text.length - one.text.length)
  const pattern = new RegExp(longestFirst.map(patternOf).join('|') || '(?!)', 'giu')
  const redactor = createRedactor({ salt: randomBytes(16).toString('hex'), literals: secrets, rules })

  const hideText = (text: string) => {
    const nameless = text.replaceAll(pattern, (found) => stands.get(found.toLowerCase()) ?? '<name>')
    return redactor.redact(nameless).text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
  }
  return (value) => mapTexts(value, hideText) as typeof value
}

function patternOf({ text, as }: Hidden): string {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return as === 'path' ? literal : `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]))
}
