/** Which part of a changed line changed: what its old and new form do not share at both ends. */
import type { DiffLine } from '@bridlewise/shared/wire'

/** A line with the range of changed characters; null where the whole line is the change. */
export interface MarkedLine {
  readonly line: DiffLine
  readonly changed: { readonly from: number; readonly to: number } | null
}

/**
 * Pair each removed line with the added line in its place.
 *
 * Only runs of as many removed as added lines are paired, and only lines that share something: for
 * others a marked part would say nothing.
 */
export function markChanges(lines: readonly DiffLine[]): MarkedLine[] {
  const marked: MarkedLine[] = lines.map((line) => ({ line, changed: null }))
  let at = 0
  while (at < lines.length) {
    const removed = runLength(lines, at, 'removed')
    const added = runLength(lines, at + removed, 'added')
    if (removed > 0 && removed === added) {
      for (let offset = 0; offset < removed; offset += 1) markPair(marked, at + offset, at + removed + offset)
    }
    at += Math.max(1, removed + added)
  }
  return marked
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let length = 0
  while (lines[from + length]?.kind === kind) length += 1
  return length
}

function markPair(marked: MarkedLine[], oldAt: number, newAt: number) {
  const before = marked[oldAt]?.line
  const after = marked[newAt]?.line
  if (!before || !after) return
  const shared = sharedEnds(before.text, after.text)
  if (shared.start + shared.end < Math.min(before.text.trim().length, after.text.trim().length) * leastShared) return
  marked[oldAt] = { line: before, changed: { from: shared.start, to: before.text.length - shared.end } }
  marked[newAt] = { line: after, changed: { from: shared.start, to: after.text.length - shared.end } }
}

const leastShared = 0.3

/** Lengths of the common start and the common end, which do not overlap and split no character. */
function sharedEnds(a: string, b: string): { start: number; end: number } {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start += 1
  if (isHighSurrogate(a, start - 1)) start -= 1
  let end = 0
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  if (isHighSurrogate(a, a.length - end - 1)) end -= 1
  return { start, end: Math.max(0, end) }
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}
