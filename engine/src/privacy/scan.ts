/**
 * The scan: one pass over the anchors of all formats, and an attempt at a format only where its anchor stands.
 *
 * Text without an anchor runs no pattern but that one. Every attempt looks at a bounded stretch, and there are
 * no more attempts than the length of the text allows; a text that wants more is withheld from there on.
 */
import { escapePattern, type Format } from './format.ts'
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

/** Attempts that any text may cost, and how many more for each character of it. */
export const attemptAllowance = { base: 2000, perCharacter: 0.25 }

/** Find what has a known format. */
export function scanText(shadow: Shadow): Span[] {
  return scanCounting(shadow).spans
}

/** The same, with the number of attempts it took. */
export function scanCounting({ text, lower, toSource }: Shadow): { readonly spans: Span[]; readonly attempts: number } {
  const spans: Span[] = []
  const allowed = attemptAllowance.base + text.length * attemptAllowance.perCharacter
  let attempts = 0
  /** Guessing is over up to here: one assignment is not looked for inside the value of another. */
  let guessedUpTo = 0
  anchorPattern.lastIndex = 0
  for (let hit = anchorPattern.exec(lower); hit !== null; hit = anchorPattern.exec(lower)) {
    const at = hit.index
    anchorPattern.lastIndex = at + 1
    for (const format of byAnchor.get(hit[0]) ?? []) {
      if (format.rank === 'guessed' && at < guessedUpTo) continue
      attempts += 1
      const found = format.seek(text, at)
      if (found === null || found.end <= found.start) continue
      spans.push({ start: toSource(found.start), end: toSource(found.end - 1) + 1, kind: format.kind, rank: format.rank })
      if (format.rank === 'guessed') guessedUpTo = found.end
    }
    if (attempts > allowed) {
      spans.push({ start: toSource(at), end: toSource(text.length - 1) + 1, kind: 'withheld', rank: 'withheld' })
      break
    }
  }
  return { spans, attempts }
}

const byAnchor = indexByAnchor(formats)
const anchorPattern = compileAnchors(formats)

/** Under each anchor every format that can begin there, also those whose anchor is a longer form of it. */
function indexByAnchor(all: readonly Format[]): ReadonlyMap<string, readonly Format[]> {
  const anchors = new Set(all.flatMap((format) => format.anchors))
  return new Map(
    Array.from(anchors, (anchor) => [anchor, all.filter((format) => format.anchors.some((own) => own.startsWith(anchor)))]),
  )
}

/** Shortest first: of two anchors that begin alike the shorter one stands for both. */
function compileAnchors(all: readonly Format[]): RegExp {
  const list = (edge: Format['edge']) =>
    [...new Set(all.filter((format) => format.edge === edge).flatMap((format) => format.anchors))]
      .sort((a, b) => a.length - b.length)
      .map(escapePattern)
      .join('|')
  return new RegExp(`${list('any')}|(?<![a-z0-9])(?:${list('word')})`, 'g')
}
