/** Reads git's unified diff into structured diffs. */
import type { DiffLine, FileDiff } from '@bridlewise/shared/wire'

/** Lines kept of one file's diff; the rest is counted. */
const maxLines = 2_000

/**
 * Parse the output of `git diff` with the prefixes `a/` and `b/`.
 *
 * Lines of hunks are told from headers by the counts in the hunk's own header, never by how they begin.
 * Format: git-diff(1), "Generating patch text with -p".
 */
export function parsePatch(patch: string): FileDiff[] {
  const lines = patch.split('\n')
  const files: FileDiff[] = []
  let file: OpenFile | null = null
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('diff --git ')) {
      if (file) files.push(closeFile(file))
      file = {
        path: readGitPath(line.slice(11)),
        change: 'modified',
        hunks: [],
        added: 0,
        removed: 0,
        kept: 0,
        left: 0,
        binary: false,
      }
    } else if (file && line.startsWith('@@ ')) at = readHunk(file, lines, at)
    else if (file) readHeader(file, line)
  }
  if (file) files.push(closeFile(file))
  return files
}

interface OpenFile {
  path: string
  change: FileDiff['change']
  readonly hunks: { header: string; lines: DiffLine[] }[]
  added: number
  removed: number
  kept: number
  left: number
  binary: boolean
}

function readHeader(file: OpenFile, line: string): void {
  if (line.startsWith('new file')) file.change = 'created'
  else if (line.startsWith('deleted file')) file.change = 'deleted'
  else if (line.startsWith('Binary files ')) file.binary = true
  else if (line.startsWith('--- ') && line !== '--- /dev/null') file.path = readPath(line.slice(4), 'a/')
  else if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.path = readPath(line.slice(4), 'b/')
}

/** Read a hunk from its header on; gives the index of its last line. */
function readHunk(file: OpenFile, lines: readonly string[], start: number): number {
  const header = lines[start] ?? ''
  const counts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header)
  if (!counts) return start
  let oldLine = Number(counts[1])
  let newLine = Number(counts[3])
  const oldEnd = oldLine + Number(counts[2] ?? 1)
  const newEnd = newLine + Number(counts[4] ?? 1)
  const hunk = { header, lines: [] as DiffLine[] }
  file.hunks.push(hunk)
  let at = start
  while (oldLine < oldEnd || newLine < newEnd) {
    at += 1
    const line = lines[at]
    if (line === undefined) break
    const text = line.slice(1)
    const sign = line[0]
    if (sign === '\\') continue
    if (sign === '+') keep(file, hunk, { kind: 'added', text, old: null, new: newLine++ })
    else if (sign === '-') keep(file, hunk, { kind: 'removed', text, old: oldLine++, new: null })
    else keep(file, hunk, { kind: 'same', text, old: oldLine++, new: newLine++ })
  }
  return at
}

function keep(file: OpenFile, hunk: { lines: DiffLine[] }, line: DiffLine): void {
  if (line.kind === 'added') file.added += 1
  if (line.kind === 'removed') file.removed += 1
  if (file.kept >= maxLines) file.left += 1
  else {
    file.kept += 1
    hunk.lines.push(line)
  }
}

function closeFile({ path, change, added, removed, hunks, left, binary }: OpenFile): FileDiff {
  const cut = binary ? 'binary, not shown' : left > 0 ? `${left} more lines` : null
  return { path, change, added, removed, hunks: hunks.filter(({ lines }) => lines.length > 0), cut }
}

function readPath(text: string, prefix: string): string {
  // git ends a name with a tab where it holds a space, for the sake of patch(1).
  const path = unquote(text.replace(/\t$/, ''))
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

/** `a/x b/x`: with renames off both names are the same, so the half is the name. */
function readGitPath(text: string): string {
  return readPath(text.slice(0, (text.length - 1) / 2), 'a/')
}

/** Names with control characters, quotes or backslashes come quoted as in C; bytes as octal escapes. */
function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  const bytes: number[] = []
  const body = Buffer.from(text.slice(1, -1))
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0
    if (byte !== backslash) {
      bytes.push(byte)
      continue
    }
    const octal = /^[0-3][0-7]{2}/.exec(body.toString('latin1', at + 1, at + 4))
    const escaped = String.fromCharCode(body[at + 1] ?? 0)
    bytes.push(octal ? Number.parseInt(octal[0], 8) : (escapes[escaped] ?? escaped.charCodeAt(0)))
    at += octal ? 3 : 1
  }
  return Buffer.from(bytes).toString('utf8')
}

const backslash = 92
const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }
