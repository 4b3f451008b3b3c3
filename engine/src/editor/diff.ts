/** The difference of two texts as structured lines: three lines of context, bounded in size and in work. */
import type { DiffLine, FileDiff } from '@bridlewise/shared/wire'
import { structuredPatch } from 'diff/lib/patch/create.js'

const contextLines = 3
/** Lines shown of one file, and characters of one line; the rest is counted, never silently absent. */
const maxShownLines = 600
const maxLineLength = 500
/** Line insertions and deletions up to which two texts are lined up, and the time after which that is given up. */
const maxEditLength = 4000
const timeoutMs = 500

interface Hunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

/**
 * Compare two texts, null standing for a file that is not there.
 *
 * Contract: `added` and `removed` always count all lines; when `cut` is not null, `hunks` holds fewer.
 * Line ends are not shown, so lines that differ in them alone look the same.
 */
export function diffTexts(path: string, before: string | null, after: string | null): FileDiff {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified'
  const hunks = compare(before ?? '', after ?? '')
  return { path, change, added: countKind(hunks, 'added'), removed: countKind(hunks, 'removed'), ...bound(hunks) }
}

/** Only the lines between the common start and the common end are lined up: a small edit of a large file costs little. */
function compare(before: string, after: string): readonly Hunk[] {
  const frame = findFrame(before, after)
  const old = before.slice(frame.start, before.length - frame.tail)
  const fresh = after.slice(frame.start, after.length - frame.tail)
  const patch = structuredPatch('', '', old, fresh, '', '', { context: contextLines, maxEditLength, timeout: timeoutMs })
  if (patch === undefined) return [replaceAll(old, fresh, frame.line)]
  return patch.hunks.map((hunk) => {
    const numbered = numberLines(hunk.lines, hunk.oldStart + frame.line, hunk.newStart + frame.line)
    return { header: nameHunk(numbered), lines: numbered }
  })
}

interface Frame {
  /** Characters at the start that both texts share, in whole lines, less the context. */
  readonly start: number
  /** Lines in them. */
  readonly line: number
  /** Characters at the end that both share, in whole lines, less the context. */
  readonly tail: number
}

function findFrame(before: string, after: string): Frame {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1
  let tail = 0
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail))
    tail += 1

  const start = stepBack(before, head)
  let line = 0
  for (let at = before.indexOf('\n'); at !== -1 && at < start; at = before.indexOf('\n', at + 1)) line += 1
  return { start, line, tail: before.length - stepAhead(before, before.length - tail) }
}

/** The start of the line that an offset is in, and of the context lines before it. */
function stepBack(text: string, offset: number): number {
  let at = offset
  for (let i = 0; i <= contextLines && at > 0; i += 1) at = text.lastIndexOf('\n', at - 1)
  return at <= 0 ? 0 : at + 1
}

/** The end of the line that an offset is in, and of the context lines after it. */
function stepAhead(text: string, offset: number): number {
  let at = offset
  for (let i = 0; i <= contextLines; i += 1) {
    const end = text.indexOf('\n', at)
    if (end === -1) return text.length
    at = end + 1
  }
  return at
}

/** The texts differ too much to be lined up: everything old goes, everything new comes. */
function replaceAll(old: string, fresh: string, line: number): Hunk {
  const marked = [...splitLines(old).map((text) => `-${text}`), ...splitLines(fresh).map((text) => `+${text}`)]
  const lines = numberLines(marked, line + 1, line + 1)
  return { header: nameHunk(lines), lines }
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** From the marked lines of a patch; a mark of `\` is a remark about the last line end, not a line. */
function numberLines(marked: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  const lines: DiffLine[] = []
  let oldLine = oldStart
  let newLine = newStart
  for (const each of marked) {
    const text = each.slice(1).replace(/\r$/, '')
    if (each[0] === '+') lines.push({ kind: 'added', text, old: null, new: newLine++ })
    else if (each[0] === '-') lines.push({ kind: 'removed', text, old: oldLine++, new: null })
    else if (each[0] === ' ') lines.push({ kind: 'same', text, old: oldLine++, new: newLine++ })
  }
  return lines
}

function nameHunk(lines: readonly DiffLine[]): string {
  const range = (side: 'old' | 'new') => {
    const numbers = lines.flatMap((line) => line[side] ?? [])
    return `${numbers[0] ?? 0},${numbers.length}`
  }
  return `@@ -${range('old')} +${range('new')} @@`
}

function countKind(hunks: readonly Hunk[], kind: DiffLine['kind']): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0)
}

function bound(hunks: readonly Hunk[]): Pick<FileDiff, 'hunks' | 'cut'> {
  const shown: FileDiff['hunks'] = []
  let room = maxShownLines
  let shortened = 0
  for (const { header, lines } of hunks) {
    const kept = lines.slice(0, room)
    room -= kept.length
    shortened += kept.filter((line) => line.text.length > maxLineLength).length
    if (kept.length > 0) shown.push({ header, lines: kept.map(shorten) })
  }
  const dropped = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) - (maxShownLines - room)
  const remarks = [
    ...(dropped > 0 ? [`${dropped} further lines of the difference are not shown.`] : []),
    ...(shortened > 0 ? [`${shortened} long lines are shown in part.`] : []),
  ]
  return { hunks: shown, cut: remarks.length > 0 ? remarks.join(' ') : null }
}

function shorten(line: DiffLine): DiffLine {
  return line.text.length > maxLineLength ? { ...line, text: `${line.text.slice(0, maxLineLength).toWellFormed()}…` } : line
}
