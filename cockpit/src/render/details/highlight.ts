/** Where a search pattern stands in a line that it found. */

export interface Piece {
  readonly text: string
  readonly hit: boolean
}

/** A line cut at the places where the pattern stands in it. */
export type Highlighter = (line: string) => readonly Piece[]

/**
 * Make a highlighter for a pattern that may be words or a regular expression.
 *
 * The pattern comes from a model. One that could take long on a short line is not run as an
 * expression; then only its literal text is found, and a line may stay without a mark.
 */
export function highlighterFor(pattern: string): Highlighter {
  const expression = expressionOf(pattern)
  return (line) => {
    if (!expression) return [{ text: line, hit: false }]
    const head = line.slice(0, longestSearched)
    const pieces: Piece[] = []
    let at = 0
    for (const match of head.matchAll(expression)) {
      if (match[0] === '') continue
      if (match.index > at) pieces.push({ text: head.slice(at, match.index), hit: false })
      pieces.push({ text: match[0], hit: true })
      at = match.index + match[0].length
    }
    if (at < line.length) pieces.push({ text: line.slice(at), hit: false })
    return pieces
  }
}

const longestSearched = 400

function expressionOf(pattern: string): RegExp | null {
  if (pattern === '') return null
  const literal = pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (!isQuick(pattern)) return new RegExp(literal, 'gi')
  try {
    return new RegExp(pattern, 'gi')
  } catch {
    return new RegExp(literal, 'gi')
  }
}

/** At most one open-ended repetition, none around a group, no reference back: quadratic at worst. */
function isQuick(pattern: string): boolean {
  if (pattern.length > 200 || /\\[1-9k]|\)[*+{?]|\(\?<?[=!]/.test(pattern)) return false
  return (pattern.match(/(?<!\\)[*+]|\{\d+,\d*\}/g)?.length ?? 0) <= 1
}
