/** Line ends: matching looks past them, replacing keeps the file's own, mixed ones included. */

/** A content with every CRLF seen as LF, and the way back to the offsets it came from. */
export interface FlatText {
  readonly text: string
  /** The offset in the content of an offset in `text`. */
  toSource(offset: number): number
}

export function flatten(body: string): FlatText {
  const dropped: number[] = []
  for (let at = body.indexOf('\r\n'); at !== -1; at = body.indexOf('\r\n', at + 2)) dropped.push(at - dropped.length)
  if (dropped.length === 0) return { text: body, toSource: (offset) => offset }
  return { text: body.replaceAll('\r\n', '\n'), toSource: (offset) => offset + countBelow(dropped, offset) }
}

/** A stretch of flat text and what comes in its place. */
export interface FlatSplice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Replace one stretch, given in flat offsets.
 *
 * Contract: what the old and the new text have in common at either end is not touched at all. Of the
 * rest the n-th line end becomes the n-th line end that it replaces, and a further one becomes like its neighbour.
 * Returns the stretch of the content to cut out and what to put there.
 */
export function spliceKeepingLineEnds(body: string, flat: FlatText, { start, end, text }: FlatSplice): FlatSplice {
  const old = flat.text.slice(start, end)
  const head = countCommonHead(old, text)
  const tail = countCommonTail(old, text, Math.min(old.length, text.length) - head)
  const from = flat.toSource(start + head)
  const to = flat.toSource(end - tail)
  const replaced = body.slice(from, to).match(/\r?\n/g) ?? []
  const neighbour = findNeighbour(body, from)
  let index = 0
  const written = text.slice(head, text.length - tail).replaceAll('\n', () => replaced[index++] ?? neighbour)
  return { start: from, end: to, text: written }
}

/** The line end before an offset, or after it, or LF in a content that has none. */
function findNeighbour(body: string, offset: number): string {
  const before = offset === 0 ? -1 : body.lastIndexOf('\n', offset - 1)
  const at = before === -1 ? body.indexOf('\n', offset) : before
  return at > 0 && body[at - 1] === '\r' ? '\r\n' : '\n'
}

function countCommonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count += 1
  return count
}

function countCommonTail(a: string, b: string, most: number): number {
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1
  return count
}

/** How many of the ascending numbers are below a bound. */
function countBelow(ascending: readonly number[], bound: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? bound) < bound) low = middle + 1
    else high = middle
  }
  return low
}
