/** Finding an entry of a list by a few typed letters. */

export interface Found<T> {
  readonly entry: T
  /** Positions in the label of the letters that matched. */
  readonly hits: readonly number[]
}

/**
 * Entries whose label holds the letters of `typed` in order, best first.
 *
 * Letters at the start of a word and letters in a row count more, so `nc` finds "New chat" before
 * "sync". With nothing typed, all entries come in their own order.
 */
export function filterEntries<T>(entries: readonly T[], typed: string, labelOf: (entry: T) => string): Found<T>[] {
  const wanted = typed.toLowerCase().trim()
  if (wanted === '') return entries.map((entry) => ({ entry, hits: [] }))
  const scored: (Found<T> & { readonly score: number })[] = []
  for (const entry of entries) {
    const match = matchLetters(labelOf(entry), wanted)
    if (match) scored.push({ entry, ...match })
  }
  return scored.sort((a, b) => b.score - a.score).map(({ entry, hits }) => ({ entry, hits }))
}

function matchLetters(label: string, wanted: string): { hits: number[]; score: number } | null {
  const text = label.toLowerCase()
  const whole = text.indexOf(wanted)
  if (whole >= 0) {
    const hits = Array.from({ length: wanted.length }, (_, offset) => whole + offset)
    return { hits, score: (startsWord(text, whole) ? 100 : 4 * wanted.length) - text.length / 100 }
  }
  const hits: number[] = []
  let score = 0
  let from = 0
  for (const letter of wanted.replaceAll(/\s/g, '')) {
    const at = nextHit(text, letter, from)
    if (at < 0) return null
    if (startsWord(text, at)) score += 8
    if (at === from && hits.length > 0) score += 4
    hits.push(at)
    from = at + 1
  }
  return { hits, score: score - text.length / 100 }
}

/** The letter right here, else at the start of a later word, else anywhere later. */
function nextHit(text: string, letter: string, from: number): number {
  if (text[from] === letter) return from
  for (let at = text.indexOf(letter, from); at >= 0; at = text.indexOf(letter, at + 1)) {
    if (startsWord(text, at)) return at
  }
  return text.indexOf(letter, from)
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[\s/._:-]/.test(text[at - 1] ?? '')
}
