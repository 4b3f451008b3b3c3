/** Character references of Markdown text, decoded without a document. */

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  times: '×',
  divide: '÷',
  plusmn: '±',
  minus: '−',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  check: '✓',
}

/** Decode numeric references and the usual named ones. An unknown name stays as it was typed. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(named, name) ? (named[name] as string) : whole
    return characterOf(decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16))
  })
}

/** The replacement character stands for zero, surrogates and what lies beyond Unicode (CommonMark 2.5). */
function characterOf(point: number): string {
  const valid = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
  return valid ? String.fromCodePoint(point) : '\ufffd'
}
