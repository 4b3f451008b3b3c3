/**
 * Shadows: a text as the formats look at it, with everything that hides a secret from a pattern taken away,
 * and the way back to the offsets of the text itself.
 *
 * Two readings are needed. A colour code before a key must count as a gap, or the key has no left edge;
 * the same code inside a key must count as nothing, or the key falls apart. So what disguises is blanked in
 * one shadow and undone in the other, and what either finds is found.
 */
import { decodeDisguise, disguise, type Piece, spanOfPieces } from './disguise.ts'
import { maskPlaceholders } from './placeholder.ts'

/** A text to look through, and where a stretch of it stands in the original one. */
export interface Reading {
  readonly text: string
  sourceOf(start: number, end: number): { readonly start: number; readonly end: number }
}

export interface Shadow extends Reading {
  /** The same in lower case, at the same offsets. */
  readonly lower: string
}

/** A text that holds none of these has nothing to blank. */
const blankStarts = new RegExp(`[${disguise.codeStart}\\\\\\u0130\\uff01-\\uff5e]`)
const blankable = new RegExp(`${disguise.terminalCode}|\\\\{1,8}(?:[nrtbf/"'\`]|u[0-9a-fA-F]{4})|[\\u0130\\uff01-\\uff5e]`, 'g')

/** How far around something undone a secret may reach; longer ones are found by their parts. */
const reach = 4096

/** The readings of a text, one or two. */
export function makeShadows(source: string): Shadow[] {
  const text = maskPlaceholders(source)
  const blanked = castShadow(readAsWritten(blankStarts.test(text) ? text.replaceAll(blankable, blank) : text))
  const undone = undoAll(text)
  return undone === null ? [blanked] : [blanked, undone]
}

/** The text as it is, but for placeholders, in which nothing is looked for again. */
export function readAsWritten(text: string): Reading {
  return { text: maskPlaceholders(text), sourceOf: (start, end) => ({ start, end }) }
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
 * The neighbourhoods of everything that can be undone, with it undone; null when there is nothing to undo.
 * The rest of the text is read in the other shadow, where nothing is missing from it.
 */
function undoAll(text: string): Shadow | null {
  const pieces: Piece[] = []
  let undone = ''
  let from = 0
  const add = (plain: string, piece: Omit<Piece, 'at'>) => {
    if (plain !== '') pieces.push({ ...piece, at: undone.length })
    undone += plain
  }
  const keep = (start: number, end: number) => add(text.slice(start, end), { start, end, verbatim: true })
  for (const { 0: found, index } of text.matchAll(disguise.pattern)) {
    const plain = decodeDisguise(found)
    if (plain === null) continue
    if (index - from > 2 * reach) {
      if (from > 0) keep(from, from + reach)
      undone += gap
      from = index - reach
    }
    keep(from, index)
    from = index + found.length
    add(plain, { start: index, end: from, verbatim: false })
  }
  if (from === 0) return null
  keep(from, Math.min(text.length, from + reach))
  return castShadow({ text: undone, sourceOf: (start, end) => spanOfPieces(pieces, start, end) })
}

/** Between two neighbourhoods; no format takes it for part of a secret. */
const gap = '\u0001'

/** Lower case that never changes a length; the one letter that would is folded before. */
function lowerInPlace(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
