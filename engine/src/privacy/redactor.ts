/** The redactor: takes known secrets and secret-looking values out of a text and says how many of which kind. */
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

export interface Redaction {
  readonly text: string
  /** How many values of each kind were replaced; empty when the text is as it was. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Redactor {
  /**
   * Replace every secret that is recognised by a placeholder; the rest of the text stays byte for byte.
   *
   * Contract: deterministic for one redactor, and idempotent. The work is bounded by the length of the
   * text; a text that asks for more is withheld from there on (`withheld`), never passed.
   */
  redact(text: string): Redaction
}

/** A text is gone over until nothing more is found; a replacement can bring a new match about, but not for long. */
const maxPasses = 4
const minSaltLength = 16

/** Make the redactor of one run. */
export function createRedactor({ salt, literals = [], rules = [] }: RedactorSettings): Redactor {
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

  return {
    redact(text) {
      const counts: Record<string, number> = {}
      let redacted = text
      for (let pass = 0; pass < maxPasses; pass += 1) {
        const spans = findSpans(redacted)
        if (spans.length === 0) break
        for (const { kind } of spans) counts[kind] = (counts[kind] ?? 0) + 1
        redacted = replaceSpans(redacted, spans, salt)
      }
      return { text: redacted, counts }
    },
  }
}

function replaceSpans(text: string, spans: readonly Span[], salt: string): string {
  let replaced = ''
  let from = 0
  for (const { start, end, kind } of spans) {
    replaced += text.slice(from, start) + makePlaceholder(salt, kind, text.slice(start, end))
    from = end
  }
  return replaced + text.slice(from)
}
