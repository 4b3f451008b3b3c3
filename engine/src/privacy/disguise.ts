/**
 * Disguises: ways to write or show a character that hide it from a pattern. Each is told by a bounded
 * pattern and comes to the plain characters that it stands for, or to none at all.
 */

const invisible =
  '[\\xad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff]'
/** Where a code for a terminal begins, as a byte. */
const codeStart = '\\x1b\\x9b'
/** Colours, cursor moves and titles, as bytes or as they are written in source code. */
const terminalCode = `(?:[${codeStart}]|\\\\{1,4}(?:u001[bB]|x1[bB]|033|e))(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^\\x07\\x1b]{0,256}(?:\\x07|\\x1b\\\\))`
/** Escaped as in source code and JSON, several times over. */
const backslash = '\\\\{1,8}(?:u[0-9a-fA-F]{4}|u\\{[0-9a-fA-F]{1,6}\\}|x[0-9a-fA-F]{2}|[nrtbf/"\'`])|\\\\{2,8}'
/** Escaped as in a URL, several times over. */
const percent = '%(?:25){0,3}[0-7][0-9a-fA-F]'
/** Escaped as in HTML and XML, several times over. */
const entity = '&(?:amp;){0,3}(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|quot|apos|amp|lt|gt|nbsp);'
/** Letters, digits and signs in another dress: wide, small, raised, circled, ligatures, of mathematics. */
const dressed =
  '[\\xb2\\xb3\\xb9\\u2070-\\u209c\\u2100-\\u214f\\u2460-\\u24ff\\ufb00-\\ufb06\\ufe4d-\\ufe6b\\uff01-\\uff5e]|\\ud835[\\udc00-\\udfff]|\\ud83c[\\udd30-\\udd89]'

export const disguise = {
  codeStart,
  terminalCode,
  pattern: new RegExp([terminalCode, invisible, backslash, percent, entity, dressed].join('|'), 'g'),
}

/** What a disguise stands for; null when it hides nothing that a secret is made of. */
export function decodeDisguise(found: string): string | null {
  if (onlyTerminalCode.test(found)) return ''
  const first = found.charAt(0)
  if (first === '%') return spell(Number.parseInt(found.slice(-2), 16))
  if (first === '&') return readEntity(found)
  if (first === '\\') return readEscape(found)
  const plain = undress(found)
  return plain === found ? null : plain
}

const onlyTerminalCode = new RegExp(`^${terminalCode}$`)
const onlyInvisible = new RegExp(`^${invisible}$`)

function readEntity(found: string): string {
  const name = found.slice(1, -1).replace(/^(?:amp;){1,3}/, '')
  const [, hex, decimal] = /^#(?:[xX](.{1,6})|(.{1,7}))$/.exec(name) ?? []
  if (hex !== undefined) return spell(Number.parseInt(hex, 16))
  if (decimal !== undefined) return spell(Number.parseInt(decimal, 10))
  return entities[name] ?? ' '
}

const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }

function readEscape(found: string): string {
  const code = /^\\{1,8}(?:u\{?|x)([0-9a-fA-F]{1,6})\}?$/.exec(found)?.[1]
  if (code !== undefined) return spell(Number.parseInt(code, 16))
  const last = found.at(-1) ?? ' '
  return '"\'`/\\'.includes(last) ? last : ' '
}

/** A character by its number; a control character, and a number too large for one, is a gap. */
function spell(code: number): string {
  return code < 0x20 || code === 0x7f || code > 0x10ffff ? ' ' : undress(String.fromCodePoint(code))
}

/** The plain characters of a dressed one, nothing for an invisible one, and any other as it is. */
function undress(character: string): string {
  if (onlyInvisible.test(character)) return ''
  const plain = character.normalize('NFKC')
  return /^[\x21-\x7e]{1,8}$/.test(plain) ? plain : character
}

/** A stretch of a reading and where it comes from; if not `verbatim`, all of it stands for all of that. */
export interface Piece {
  readonly at: number
  readonly start: number
  readonly end: number
  readonly verbatim: boolean
}

/** Where a stretch of a reading stands in the source. Of a character that was written as several, none is left out. */
export function spanOfPieces(pieces: readonly Piece[], start: number, end: number): { start: number; end: number } {
  const first = pieceAt(pieces, start)
  const last = pieceAt(pieces, end - 1)
  return {
    start: first.verbatim ? first.start + start - first.at : first.start,
    end: last.verbatim ? last.start + end - last.at : last.end,
  }
}

/** The last piece that begins at or before an offset. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pieces[middle]?.at ?? offset) <= offset) low = middle + 1
    else high = middle
  }
  return pieces[Math.max(0, low - 1)] ?? nothing
}

const nothing: Piece = { at: 0, start: 0, end: 0, verbatim: true }
