/** Advice after a miss: the region that looks most like what was sought. It is told, never applied. */
import { containsPlaceholder } from '../privacy/index.ts'

/** Regions that are compared, and lines of each: what bounds the work in a large file. */
const maxCandidates = 200
const maxComparedLines = 200
/** Of the region as it is quoted. */
const maxQuotedLines = 20
const maxQuotedLength = 160
/** A shorter line, such as a closing bracket, says nothing about a place, unless there are only such. */
const minAnchorLength = 4

interface Region {
  /** Index of its first line. */
  readonly start: number
  /** Lines that are the same but for white space at their ends. */
  readonly alike: number
}

/** Say in one or two sentences, with line numbers and a quotation, where the old text may have been meant. */
export function adviseMiss(text: string, oldText: string): string {
  if (containsPlaceholder(oldText)) {
    return 'The old text holds a redaction placeholder, but the file holds the real value. Anchor on the text around it.'
  }
  const lines = text.split(/\r?\n/)
  const wanted = trimBlankLines(oldText.split(/\r?\n/)).slice(0, maxComparedLines)
  const region = findNearest(lines, wanted)
  if (region === null) return 'Nothing in it looks alike. Read it again.'
  const last = Math.min(region.start + wanted.length, lines.length)
  const place = wanted.length === 1 ? `line ${region.start + 1}` : `lines ${region.start + 1}–${last}`
  const lead = region.alike === wanted.length ? `It differs from ${place} only in white space` : `The nearest region is ${place}`
  return `${lead}:\n${quote(lines, region.start, last)}`
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}

function findNearest(lines: readonly string[], wanted: readonly string[]): Region | null {
  let best: Region | null = null
  for (const start of findCandidates(lines, wanted)) {
    let alike = 0
    for (const [i, line] of wanted.entries()) if (lines[start + i]?.trim() === line.trim()) alike += 1
    if (best === null || alike > best.alike) best = { start, alike }
  }
  return best
}

/** Starts of regions in which one telling line stands where it is wanted. */
function findCandidates(lines: readonly string[], wanted: readonly string[]): Set<number> {
  const longest = Math.max(0, ...wanted.map((line) => line.trim().length))
  const shortest = Math.min(minAnchorLength, Math.max(1, longest))
  const anchors = new Map<string, number>()
  for (const [i, line] of wanted.entries()) {
    const trimmed = line.trim()
    if (trimmed.length >= shortest && !anchors.has(trimmed)) anchors.set(trimmed, i)
  }
  const starts = new Set<number>()
  for (const [i, line] of lines.entries()) {
    const offset = anchors.get(line.trim())
    if (offset !== undefined && i >= offset) starts.add(i - offset)
    if (starts.size >= maxCandidates) break
  }
  return starts
}

function quote(lines: readonly string[], from: number, to: number): string {
  const shown = lines.slice(from, Math.min(to, from + maxQuotedLines))
  const quoted = shown.map(
    (line, i) => `${from + i + 1}: ${line.slice(0, maxQuotedLength)}${line.length > maxQuotedLength ? ' …' : ''}`,
  )
  if (to - from > maxQuotedLines) quoted.push(`… and ${to - from - maxQuotedLines} more lines`)
  return quoted.join('\n')
}
