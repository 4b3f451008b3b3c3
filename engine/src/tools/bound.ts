/** Bounded text: cut by bytes and lines, never inside a character, never silently. */

export interface TextLimit {
  /** UTF-8 bytes. */
  readonly bytes: number
  readonly lines: number
}

export interface BoundedText {
  readonly text: string
  /** What was left out, as `312 lines (18,240 bytes)`, or null. */
  readonly cut: string | null
}

/** Keep the beginning. */
export function keepHead(text: string, limit: TextLimit): BoundedText {
  const end = endOfHead(text, limit)
  return end === text.length ? { text, cut: null } : { text: text.slice(0, end), cut: measure(text.slice(end)) }
}

/** Keep the beginning and the end, with a line between them that says what is missing. */
export function keepEnds(text: string, limit: TextLimit): BoundedText {
  if (endOfHead(text, limit) === text.length) return { text, cut: null }
  const half = { bytes: Math.floor(limit.bytes / 2), lines: Math.floor(limit.lines / 2) }
  const head = endOfHead(text, half)
  const tail = Math.max(head, startOfTail(text, half))
  const cut = measure(text.slice(head, tail))
  return { text: `${text.slice(0, head)}\n[${cut} left out here]\n${text.slice(tail)}`, cut }
}

/** The index after the last character that fits. */
function endOfHead(text: string, limit: TextLimit): number {
  let bytes = 0
  let lines = 1
  let at = 0
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    bytes += utf8Length(code)
    if (code === newline) lines += 1
    if (bytes > limit.bytes || lines > limit.lines) return at
    at += code > 0xffff ? 2 : 1
  }
  return at
}

/** The index of the first character of the longest tail that fits. */
function startOfTail(text: string, limit: TextLimit): number {
  let bytes = 0
  let lines = 1
  let at = text.length
  while (at > 0) {
    const unit = text.charCodeAt(at - 1)
    const isPair = unit >= 0xdc00 && unit <= 0xdfff && at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff
    const width = isPair ? 2 : 1
    bytes += utf8Length(text.codePointAt(at - width) ?? 0)
    if (unit === newline) lines += 1
    if (bytes > limit.bytes || lines > limit.lines) return at
    at -= width
  }
  return 0
}

const newline = 10

function utf8Length(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

function measure(text: string): string {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const bytes = Buffer.byteLength(text)
  return `${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'} (${bytes.toLocaleString('en')} bytes)`
}
