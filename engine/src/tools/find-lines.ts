/** Finds lines of text. Used by the search itself and by the worker that runs patterns nobody can vouch for. */

export interface SearchedText {
  readonly path: string
  readonly text: string
}

export interface LineHit {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** The line, or the part of a long one around the match. */
  readonly text: string
}

/** A line longer than this is shown in part. In UTF-16 units. */
const shownLength = 300

/** Lines that a pattern matches, one by one, so that no pattern reaches across lines. */
export function findLines(texts: readonly SearchedText[], pattern: RegExp): LineHit[] {
  const hits: LineHit[] = []
  for (const { path, text } of texts) {
    let line = 0
    for (const ended of text.split('\n')) {
      const content = ended.endsWith('\r') ? ended.slice(0, -1) : ended
      line += 1
      const at = content.search(pattern)
      if (at >= 0) hits.push({ path, line, text: excerpt(content, at) })
    }
  }
  return hits
}

/** The same for a literal: texts without it cost one scan and no splitting. */
export function findLiteralLines(texts: readonly SearchedText[], literal: RegExp): LineHit[] {
  return findLines(
    texts.filter(({ text }) => literal.test(text)),
    literal,
  )
}

function excerpt(line: string, at: number): string {
  if (line.length <= shownLength) return line
  const from = Math.max(0, at - 60)
  const part = line.slice(from, from + shownLength).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + shownLength < line.length ? '…' : ''}`
}
