/**
 * Characters that deceive the eye, made visible.
 *
 * Bidirectional controls reorder what is read, zero-width and tag characters hide text, control
 * characters rewrite it, and letters of one script imitate another. A path, command or diff is shown
 * with each of them as a mark (Unicode TR 36 and 39; "Trojan Source", CVE-2021-42574).
 */

export interface Segment {
  readonly text: string
  /** Null for plain text; otherwise what the mark stands for, in words. */
  readonly meaning: string | null
  /** A letter that imitates one of another script: shown as it is, but marked. */
  readonly lookalike: boolean
}

export interface VisibleText {
  readonly segments: readonly Segment[]
  /** How many characters or words were marked, line ends not counted. */
  readonly marked: number
}

/** Text of several lines: tabs and line ends keep their meaning. */
export function revealText(text: string): VisibleText {
  return reveal(text, (char) => char === '\n' || char === '\t')
}

/** Text of one line, such as a path or a command: a line end inside it is marked too. */
export function revealLine(text: string): VisibleText {
  return reveal(text, () => false)
}

/** The same as one text, for places that take no markup: a window's title, an option, a label. */
export function spellLine(text: string): string {
  return revealLine(text)
    .segments.map((segment) => (segment.meaning === null || segment.lookalike ? segment.text : quoteMark(segment.text)))
    .join('')
}

/** How many characters of a text of several lines are drawn as marks. */
export function countMarked(text: string): number {
  return suspect.test(text) ? revealText(text).marked : 0
}

/** Letters of Greek and Cyrillic that are drawn like Latin ones. */
const imitators = 'асеорхуіјѕһԁԛԝѵАВСЕНІЈКМОРЅТХУҮαικνορτυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\ufff9-\ufffb]/u
const imitator = new RegExp(`[${imitators}]`, 'u')
const suspect = new RegExp(`${invisible.source}|${imitator.source}`, 'u')

function reveal(text: string, allowed: (char: string) => boolean): VisibleText {
  // Nearly all text has nothing to show, and is scanned once.
  if (!suspect.test(text)) return { segments: text === '' ? [] : [plain(text)], marked: 0 }
  const foreign = lookalikesIn(text)
  const segments: Segment[] = []
  let marked = 0
  let left = 0
  let run = ''
  const flush = () => {
    if (run !== '') segments.push(plain(run))
    run = ''
  }
  let before = ''
  let at = 0
  for (const char of text) {
    const meaning = allowed(char) || joins(char, before) ? null : meaningOf(char)
    if (meaning !== null || foreign.has(at)) {
      // A text made of nothing else would be an element for each: beyond a bound, what cannot be seen is only counted.
      if (marked >= mostMarks) {
        if (meaning === null) run += char
        else left += 1
      } else {
        flush()
        segments.push({
          text: meaning === null ? char : markOf(char),
          meaning: meaning ?? describeLetter(char),
          lookalike: meaning === null,
        })
      }
      if (char !== '\n' && char !== '\r') marked += 1
    } else run += char
    before = char
    at += char.length
  }
  flush()
  if (left > 0)
    segments.push({ text: `${left} more`, meaning: 'characters that cannot be seen, left out here', lookalike: false })
  return { segments, marked }
}

function plain(text: string): Segment {
  return { text, meaning: null, lookalike: false }
}

/** Offsets of the letters that imitate Latin ones, in words that also hold Latin ones. */
function lookalikesIn(text: string): ReadonlySet<number> {
  const offsets = new Set<number>()
  if (!imitator.test(text)) return offsets
  for (const word of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (!/[A-Za-z]/.test(word[0])) continue
    for (let at = 0; at < word[0].length; at += 1) {
      if (imitators.includes(word[0][at] ?? ' ')) offsets.add(word.index + at)
    }
  }
  return offsets
}

/** Elements for marks in one text at most. */
const mostMarks = 500

function quoteMark(mark: string): string {
  return `‹${mark}›`
}

/**
 * The emoji selector and the joiner are ordinary right after a pictograph. Joiner and non-joiner shape
 * the letters of Arabic and Indic scripts, and nothing in those that are written letter by letter.
 */
function joins(char: string, before: string): boolean {
  if (char === '\ufe0f') return /\p{Extended_Pictographic}/u.test(before)
  if (char !== '\u200d' && char !== '\u200c') return false
  if (char === '\u200d' && (before === '\ufe0f' || /\p{Extended_Pictographic}/u.test(before))) return true
  return /[\p{L}\p{M}]/u.test(before) && !/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]/u.test(before)
}

const names: Readonly<Record<string, string>> = {
  '\n': 'line end',
  '\r': 'carriage return',
  '\t': 'tab',
  '\u001b': 'escape',
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u061c': 'Arabic letter mark',
  '\u200b': 'zero-width space',
  '\u200c': 'zero-width non-joiner',
  '\u200d': 'zero-width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'end of direction',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'end of isolate',
  '\ufeff': 'byte order mark',
}

/** What an invisible character is; null for one that can be seen. */
function meaningOf(char: string): string | null {
  const point = char.codePointAt(0) ?? 0
  const name = names[char]
  if (name) return `${name} (${codeOf(point)})`
  if (!invisible.test(char)) return null
  if (point < 0x20 || (point >= 0x7f && point <= 0x9f)) return `control character (${codeOf(point)})`
  if (point >= 0xe0000 && point <= 0xe007f) return `invisible tag (${codeOf(point)})`
  if ((point >= 0xfe00 && point <= 0xfe0f) || point >= 0xe0100) return `variation selector (${codeOf(point)})`
  return `invisible character (${codeOf(point)})`
}

/** The mark that is drawn: short where there is a common sign for it. */
function markOf(char: string): string {
  const point = char.codePointAt(0) ?? 0
  if (char === '\n') return '⏎'
  if (char === '\r') return '␍'
  if (char === '\t') return '⇥'
  if (point < 0x20) return String.fromCodePoint(0x2400 + point)
  return codeOf(point)
}

function describeLetter(char: string): string {
  const script = /\p{Script=Greek}/u.test(char) ? 'Greek' : 'Cyrillic'
  return `${script} letter among Latin ones (${codeOf(char.codePointAt(0) ?? 0)})`
}

function codeOf(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}
