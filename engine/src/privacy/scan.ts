/**
 * The scan: one pass over the anchors of all formats, and an attempt at a format only where its anchor stands.
 *
 * Text without an anchor runs no pattern but that one. Every attempt looks at a bounded stretch, and up to any
 * place there are no more attempts than the characters before it allow; a text that wants more is withheld
 * from there on. What comes before that place does not depend on what comes after, so neither does the verdict.
 */
import { compileAlternatives, type Format } from './format.ts'
import { assignmentFormats } from './formats/assignments.ts'
import { cloudFormats } from './formats/clouds.ts'
import { codeHostFormats } from './formats/code-hosts.ts'
import { loginFormats } from './formats/logins.ts'
import { modelFormats } from './formats/models.ts'
import { privateKeyFormats } from './formats/private-keys.ts'
import { serviceFormats } from './formats/services.ts'
import type { Shadow } from './shadow.ts'
import type { Span } from './span.ts'

/** Every format there is. Order does not matter: overlapping findings are joined. */
export const formats: readonly Format[] = [
  ...modelFormats,
  ...cloudFormats,
  ...codeHostFormats,
  ...serviceFormats,
  ...privateKeyFormats,
  ...loginFormats,
  ...assignmentFormats,
]

/** Attempts that any text may cost, and how many more for each character gone by. Ordinary text stays under a tenth of it. */
export const attemptAllowance = { base: 2000, perCharacter: 0.5 }

export interface Scanned {
  readonly spans: Span[]
  /** How many attempts it took. */
  readonly attempts: number
}

/** A function that finds what has one of the formats. */
export function createScan(all: readonly Format[]): (shadow: Shadow) => Scanned {
  const index: AnchorIndex = { byAnchor: indexByAnchor(all), pattern: compileAnchors(all) }
  return (shadow) => scanWith(index, shadow)
}

interface AnchorIndex {
  readonly byAnchor: ReadonlyMap<string, readonly Format[]>
  readonly pattern: RegExp
}

function scanWith({ byAnchor, pattern }: AnchorIndex, { text, lower, sourceOf }: Shadow): Scanned {
  const spans: Span[] = []
  let attempts = 0
  /** Guessing is over up to here: one assignment is not looked for inside the value of another. */
  let guessedUpTo = 0
  pattern.lastIndex = 0
  for (let hit = pattern.exec(lower); hit !== null; hit = pattern.exec(lower)) {
    const at = hit.index
    pattern.lastIndex = at + 1
    for (const format of byAnchor.get(hit[0]) ?? []) {
      if (format.rank === 'guessed' && at < guessedUpTo) continue
      if (!format.anchors.some((anchor) => lower.startsWith(anchor, at))) continue
      attempts += format.cost ?? 1
      const found = format.seek(text, at)
      if (found === null || found.end <= found.start) continue
      spans.push({ ...sourceOf(found.start, found.end), kind: format.kind, rank: format.rank })
      if (format.rank === 'guessed') guessedUpTo = found.end
    }
    if (attempts > attemptAllowance.base + at * attemptAllowance.perCharacter) {
      spans.push({ ...sourceOf(at, text.length), kind: 'withheld', rank: 'withheld' })
      break
    }
  }
  return { spans, attempts }
}

/** Finds what has a known format. */
export const scanText = createScan(formats)

/** The anchors that are looked for: one that begins with another is found by the other. */
function listAnchors(all: readonly Format[], edge: Format['edge']): string[] {
  const anchors = [...new Set(all.filter((format) => format.edge === edge).flatMap((format) => format.anchors))]
  return anchors.filter((anchor) => !anchors.some((other) => other !== anchor && anchor.startsWith(other)))
}

/** Under each anchor every format that can begin where it stands. */
function indexByAnchor(all: readonly Format[]): ReadonlyMap<string, readonly Format[]> {
  const anchors = [...listAnchors(all, 'any'), ...listAnchors(all, 'word')]
  const fits = (anchor: string) => (own: string) => own.startsWith(anchor) || anchor.startsWith(own)
  return new Map(anchors.map((anchor) => [anchor, all.filter((format) => format.anchors.some(fits(anchor)))]))
}

/** A pattern that finds, in lower-case text, where one of the formats may begin. */
export function compileAnchors(all: readonly Format[]): RegExp {
  const [anywhere, atWords] = [compileAlternatives(listAnchors(all, 'any')), compileAlternatives(listAnchors(all, 'word'))]
  return new RegExp(`${anywhere}|(?<![a-z0-9])${atWords}`, 'g')
}
