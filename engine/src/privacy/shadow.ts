/**
 * Shadows: a text as the formats look at it, with everything that hides a secret from a pattern taken away,
 * and the way back to the offsets of the text itself.
 *
 * Two readings are needed. A colour code before a key must count as a gap, or the key has no left edge;
 * the same code inside a key must count as nothing, or the key falls apart. So codes are blanked in one
 * shadow and dropped in the other, and what either finds is found.
 */

import { maskPlaceholders } from './placeholder.ts'

/** A text to look through, and where its offsets are in the original one. */
export interface Reading {
  readonly text: string
  toSource(offset: number): number
}

export interface Shadow extends Reading {
  /** The same in lower case, at the same offsets. */
  readonly lower: string
}

const invisible = '\\xad\\u034f\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff'
/** A text that holds none of these is its own shadow: escape codes, backslashes, invisible and full-width characters. */
const disguise = new RegExp(`[\\x1b\\x9b\\\\\\u0130\\uff01-\\uff5e${invisible}]`)
/** Colours, cursor moves and titles, as bytes or as they are written in source code. */
const terminalCode =
  '(?:\\x1b|\\x9b|\\\\{1,4}(?:u001[bB]|x1[bB]|033|e))(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^\\x07\\x1b]{0,256}(?:\\x07|\\x1b\\\\))'
const blankable = new RegExp(`${terminalCode}|\\\\{1,8}(?:[nrtbf/"'\`]|u[0-9a-fA-F]{4})|[\\u0130\\uff01-\\uff5e]`, 'g')
const droppable = new RegExp(`${terminalCode}|[${invisible}]|\\\\{1,8}(?=/)`, 'g')

/** How far around something dropped a secret may reach; longer ones are found by their parts. */
const reach = 4096

/** The readings of a text, one or two. */
export function makeShadows(source: string): Shadow[] {
  const text = maskPlaceholders(source)
  if (!disguise.test(text)) return [castShadow(readAsWritten(text))]
  const blanked = castShadow(readAsWritten(text.replaceAll(blankable, blank)))
  const dropped = dropAll(text)
  return dropped === null ? [blanked] : [blanked, dropped]
}

/** The text as it is, but for placeholders, in which nothing is looked for again. */
export function readAsWritten(text: string): Reading {
  return { text: maskPlaceholders(text), toSource: (offset) => offset }
}

function castShadow(reading: Reading): Shadow {
  return { ...reading, lower: lowerInPlace(reading.text) }
}

/** Equal in length to what it replaces. An escaped quote stays a quote, an escaped ASCII character stays that character. */
function blank(found: string): string {
  const last = found.at(-1) ?? ' '
  const code = found.codePointAt(0) ?? 0
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0)
  if (code === 0x130) return 'I'
  if (found.startsWith('\\') && '"\'`/'.includes(last)) return last.padStart(found.length)
  const escaped = /^\\{1,8}u00([2-7][0-9a-fA-F])$/.exec(found)?.[1]
  return (escaped === undefined ? ' ' : String.fromCharCode(Number.parseInt(escaped, 16))).padStart(found.length)
}

/**
 * The neighbourhoods of everything that can be dropped, without it; null when there is nothing to drop.
 * The rest of the text is read in the other shadow, where nothing is missing from it.
 */
function dropAll(text: string): Shadow | null {
  const starts: number[] = []
  const sources: number[] = []
  let kept = ''
  let from = 0
  const keep = (start: number, end: number) => {
    starts.push(kept.length)
    sources.push(start)
    kept += text.slice(start, end)
  }
  for (const { 0: found, index } of text.matchAll(droppable)) {
    if (index - from > 2 * reach) {
      if (starts.length > 0) keep(from, from + reach)
      kept += '\n'
      from = index - reach
    }
    keep(from, index)
    from = index + found.length
  }
  if (starts.length === 0) return null
  keep(from, from + reach)
  return castShadow({ text: kept.replaceAll(blankable, blank), toSource: (offset) => mapOffset(starts, sources, offset) })
}

/** The last piece that begins at or before an offset says where the offset is in the source. */
function mapOffset(starts: readonly number[], sources: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? offset) <= offset) low = middle + 1
    else high = middle
  }
  return offset - (starts[low - 1] ?? 0) + (sources[low - 1] ?? 0)
}

/** Lower case that never changes a length; the one letter that would is folded before. */
function lowerInPlace(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
