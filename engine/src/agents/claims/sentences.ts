/** An answer cut into sentences that can hold a claim, with their places in it. */

export interface Sentence {
  readonly text: string
  /** UTF-16 offsets in the answer. */
  readonly start: number
  readonly end: number
}

/** Longer answers are read up to here; a claim stands at the end, so the end is what is kept. In UTF-16 units. */
const readLength = 64 * 1024

/**
 * Cut an answer into sentences.
 *
 * Contract: fenced code, quotations and table rules are left out: they show text, they do not claim. A list item, a
 * heading and a table row are sentences of their own. Work is linear in the length.
 */
export function splitSentences(answer: string): Sentence[] {
  const sentences: Sentence[] = []
  let offset = Math.max(0, answer.length - readLength)
  let fence: string | null = null
  for (const line of answer.slice(offset).split('\n')) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
    } else if (mark !== undefined) {
      fence = mark
    } else if (!/^\s*(>|\|?[\s:|-]+$)/.test(line)) {
      sentences.push(...splitLine(line, offset))
    }
    offset += line.length + 1
  }
  return sentences
}

/** After a full stop comes space: `a.ts` and `1.5` hold none that ends a sentence. */
const ends = /[.!?…]+["')\]*_`]*(?=\s)/g

function splitLine(line: string, offset: number): Sentence[] {
  const sentences: Sentence[] = []
  let start = 0
  const cut = (end: number) => {
    const text = line.slice(start, end)
    const trimmed = text.trim()
    const from = offset + start + text.indexOf(trimmed)
    if (/\p{L}|\d/u.test(trimmed)) sentences.push({ text: trimmed, start: from, end: from + trimmed.length })
    start = end
  }
  // A stop inside of code, as in `go test ./...`, ends nothing.
  const prose = line.replaceAll(/`[^`]*`/g, (code) => '`'.repeat(code.length))
  for (const match of prose.matchAll(ends)) {
    if (!abbreviation.test(line.slice(start, match.index + 1))) cut(match.index + match[0].length)
  }
  cut(line.length)
  return sentences
}

const abbreviation = /\b(?:e\.g|i\.e|etc|vs|no|approx)\.$/i
