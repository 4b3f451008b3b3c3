/** Path patterns: `*`, `?`, `**` and `{a,b}`. Matched without backtracking over paths, so no pattern can hang. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** How many patterns braces may stand for. */
const maxAlternatives = 64

/**
 * Make a predicate over normal paths.
 *
 * A pattern without a slash is matched against the name alone, at any depth; one with a slash against
 * the whole path. `*` and `?` stay within a part, `**` as a part of its own stands for any number of parts.
 * Refuses: pattern_invalid.
 */
export function compileGlob(pattern: string): Result<(path: string) => boolean> {
  if (pattern === '') return refuse('pattern_invalid', { problem: 'it is empty' })
  if (pattern.length > 1000) return refuse('pattern_invalid', { problem: 'it is longer than 1,000 characters' })
  const alternatives = expandBraces(pattern)
  if (alternatives === null) {
    return refuse('pattern_invalid', { problem: `its braces do not close or stand for more than ${maxAlternatives} patterns` })
  }
  const matchers = alternatives.map((alternative) => {
    const parts = alternative.replace(/^\.?\//, '').split('/')
    const byName = parts.length === 1 && parts[0] !== '**'
    return (path: string) => matchParts(parts, byName ? [path.slice(path.lastIndexOf('/') + 1)] : path.split('/'))
  })
  return ok((path) => matchers.some((matches) => matches(path)))
}

/** The patterns that braces stand for, leftmost group first; null when there are too many or one does not close. */
function expandBraces(pattern: string): string[] | null {
  let open = [pattern]
  const closed: string[] = []
  while (open.length > 0) {
    const expanded: string[] = []
    for (const candidate of open) {
      const group = /\{([^{}]*)\}/.exec(candidate)
      if (!group) {
        if (/[{}]/.test(candidate)) return null
        closed.push(candidate)
      } else {
        const [whole, inner = ''] = group
        const before = candidate.slice(0, group.index)
        const after = candidate.slice(group.index + whole.length)
        expanded.push(...inner.split(',').map((choice) => before + choice + after))
      }
      if (expanded.length + closed.length > maxAlternatives) return null
    }
    open = expanded
  }
  return closed
}

/** Parts against parts; `**` is to parts what `*` is to characters. */
function matchParts(pattern: readonly string[], path: readonly string[]): boolean {
  return matchStars(pattern, path, { isStar: (part) => part === '**', matches: (part, actual) => matchPart(part, actual) })
}

function matchPart(pattern: string, part: string): boolean {
  return matchStars([...pattern], [...part], {
    isStar: (char) => char === '*',
    matches: (char, actual) => char === '?' || char === actual,
  })
}

interface StarRules {
  readonly isStar: (item: string) => boolean
  readonly matches: (item: string, actual: string) => boolean
}

/** Only the newest star is ever widened, so the time is the product of the lengths at most. */
function matchStars(pattern: readonly string[], items: readonly string[], rules: StarRules): boolean {
  let at = 0
  let star = -1
  let resume = 0
  for (let i = 0; i < items.length; ) {
    const wanted = pattern[at]
    if (wanted !== undefined && rules.isStar(wanted)) {
      star = at
      resume = i
      at += 1
    } else if (wanted !== undefined && rules.matches(wanted, items[i] ?? '')) {
      at += 1
      i += 1
    } else if (star >= 0) {
      at = star + 1
      resume += 1
      i = resume
    } else return false
  }
  return pattern.slice(at).every(rules.isStar)
}
