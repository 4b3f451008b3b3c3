/** Replacements: which stretches of a text go, and what stands there instead. */
import { type Piece, spanOfPieces } from './disguise.ts'
import { compileLiterals } from './literals.ts'
import { compileOwnPatterns, compileOwnTexts, type OwnRule } from './own-rules.ts'
import { makePlaceholder } from './placeholder.ts'
import { createScan, formats, scanText } from './scan.ts'
import { makeShadows, readAsWritten } from './shadow.ts'
import { mergeSpans, type Span } from './span.ts'

export interface RedactorSettings {
  /** Random, secret, and new for each run: placeholders of one run say nothing in another. At least 16 characters. */
  readonly salt: string
  /** Secrets that are stored here, matched literally and in their usual encodings, whatever they look like. */
  readonly literals?: readonly string[]
  /** What the person wants kept back besides. */
  readonly rules?: readonly OwnRule[]
}

export interface Replacement {
  /** Of the text as it was. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Of everything that was found in the stretch, also where one finding swallowed another. */
  readonly kinds: readonly string[]
}

/** A text is gone over until nothing more is found; a replacement can bring a new match about, but not for long. */
const maxPasses = 4
const minSaltLength = 16

/** A function that finds what has to go. Contract: replacements come in order and do not overlap. */
export function createSeeker({ salt, literals = [], rules = [] }: RedactorSettings): (text: string) => readonly Replacement[] {
  if (salt.length < minSaltLength) throw new RangeError(`the salt of a redactor has at least ${minSaltLength} characters`)
  const findStored = compileLiterals(literals)
  const findOwn = compileOwnTexts(rules)
  const patterns = compileOwnPatterns(rules)
  const scan = patterns.length === 0 ? scanText : createScan([...formats, ...patterns])
  const findSpans = (text: string): Span[] => {
    const shadows = makeShadows(text)
    const readings = [readAsWritten(text), ...shadows.slice(1)]
    return mergeSpans([
      ...readings.flatMap(findStored),
      ...readings.flatMap(findOwn),
      ...shadows.flatMap((shadow) => scan(shadow).spans),
    ])
  }

  return (source) => {
    let found: readonly Replacement[] = []
    let text = source
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const spans = findSpans(text)
      if (spans.length === 0) break
      const pieces = listPieces(source.length, found)
      const fresh = spans.map(({ start, end, kind }) => ({
        ...spanOfPieces(pieces, start, end),
        text: makePlaceholder(salt, kind, text.slice(start, end)),
        kinds: [kind],
      }))
      found = absorb(found, fresh)
      text = applyReplacements(source, found)
    }
    return found
  }
}

export function applyReplacements(source: string, replacements: readonly Replacement[]): string {
  let replaced = ''
  let from = 0
  for (const { start, end, text } of replacements) {
    replaced += source.slice(from, start) + text
    from = end
  }
  return replaced + source.slice(from)
}

/** What the text that has the replacements consists of, and where each piece comes from. */
function listPieces(length: number, replacements: readonly Replacement[]): Piece[] {
  const pieces: Piece[] = []
  let [from, at] = [0, 0]
  const keep = (end: number) => {
    if (end > from) pieces.push({ at, start: from, end, verbatim: true })
    at += end - from
  }
  for (const { start, end, text } of replacements) {
    keep(start)
    pieces.push({ at, start, end, verbatim: false })
    at += text.length
    from = end
  }
  keep(length)
  return pieces
}

/** Later findings take the place of the earlier ones they touch. */
function absorb(earlier: readonly Replacement[], later: readonly Replacement[]): readonly Replacement[] {
  if (earlier.length === 0) return later
  const isLater = new Set(later)
  const all: Replacement[] = []
  for (const next of [...later, ...earlier].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last === undefined || next.start >= last.end) {
      all.push(next)
      continue
    }
    const joined = { ...(isLater.has(last) ? last : next), start: last.start, end: Math.max(last.end, next.end) }
    const whole = { ...joined, kinds: [...last.kinds, ...next.kinds] }
    if (isLater.has(last) || isLater.has(next)) isLater.add(whole)
    all[all.length - 1] = whole
  }
  return all
}
