/**
 * A redactor for a text that comes in pieces, or whose end never comes: what is clear leaves, the rest is held back.
 *
 * Nothing leaves while a secret might still begin or go on in it: after a beginning that some format knows, and after
 * a sign that may be a disguise, everything waits until the text has gone on for longer than a secret does.
 */
import { disguise } from './disguise.ts'
import { compileOwnPatterns } from './own-rules.ts'
import { createSeeker, type RedactorSettings } from './replacements.ts'
import { compileAnchors, formats } from './scan.ts'
import { makeShadows } from './shadow.ts'

export interface StreamRedactor {
  /**
   * Take a piece, and give what may leave by now.
   *
   * Contract: all that it gives and what `end` gives, put together, is what the plain redactor makes of the whole text,
   * wherever the pieces were cut. A secret that goes on past the bound is withheld with all that comes after it.
   */
  push(piece: string): string
  /** Give the rest. Contract: without it, what was held back stays here: half a secret is not told from a word. */
  end(): string
}

export interface StreamLimits {
  /** How far a secret is waited for after its beginning, in UTF-16 units; one that is found may go on for as much again. */
  readonly hold: number
  /** How much of what has left is still looked at, for what stands before a secret. */
  readonly behind: number
  /** How much comes, at most, before it is looked at again. */
  readonly step: number
}

/** Every format but lists of cookies and the rows of a key without an end is shorter, and those two are found by their beginning. */
export const streamLimits: StreamLimits = { hold: 32 * 1024, behind: 8 * 1024, step: 1024 }

/** The longest beginning of a format, what may stand before it, and a placeholder all fit in it. */
const leastMargin = 128
/** A character of a stored secret takes no more in any of its encodings, for each of its bytes. */
const longestForm = 6

/** Make the redactor of one text. Contract: keeps twice `hold` and once `behind`, a step, and some lengths of the longest stored secret, never more. */
export function createStreamRedactor(settings: RedactorSettings, limits: StreamLimits = streamLimits): StreamRedactor {
  const seek = createSeeker(settings)
  const { literals = [], rules = [] } = settings
  const anchors = compileAnchors([...formats, ...compileOwnPatterns(rules)])
  const lengths = [...literals, ...rules.map(({ value }) => value)].map((text) => longestForm * Buffer.byteLength(text))
  const margin = Math.max(leastMargin, ...lengths)
  let behind = ''
  let held = ''
  let fresh = 0
  let isWithheld = false

  /** Up to where in what is held nothing can begin any more, whatever comes. */
  const findQuiet = (): number => {
    const text = behind + held
    const from = Math.max(0, text.length - limits.hold)
    const lower = makeShadows(text)[0]?.lower ?? text
    return Math.min(firstFrom(anchors, lower, from), firstFrom(suspects, text, from)) - margin - behind.length
  }

  /** Let go of what is held up to a place, or up to what stands across it. */
  const release = (wanted: number): string => {
    const base = behind.length
    const text = behind + held
    const found = seek(text).filter(({ end }) => end > base)
    const across = found.find(({ start, end }) => start < base + wanted && end > base + wanted)
    const isTooLong = across !== undefined && text.length - across.start > 2 * (limits.hold + margin)
    const cut = isTooLong ? across.end : keepPairs(text, Math.max(base, across?.start ?? base + wanted))
    let out = ''
    let from = base
    for (const { start, end, text: stand } of found) {
      if (start >= cut) break
      out += text.slice(from, start) + stand
      from = end
    }
    out += text.slice(from, cut)
    isWithheld = isTooLong
    held = isTooLong ? '' : text.slice(cut)
    behind = text.slice(Math.max(0, cut - limits.behind - margin), cut)
    return out
  }

  return {
    push(piece) {
      let out = ''
      for (let at = 0; at < piece.length && !isWithheld; at += limits.step) {
        const part = piece.slice(at, at + limits.step)
        held += part
        fresh += part.length
        if (fresh < Math.min(limits.step, Math.max(leastMargin, held.length) / 2)) continue
        fresh = 0
        const quiet = findQuiet()
        if (quiet > 0) out += release(quiet)
      }
      return out
    },
    end() {
      const out = isWithheld ? '' : release(held.length)
      behind = ''
      held = ''
      return out
    },
  }
}

/** Where a disguise stands or may have begun. */
const suspects = new RegExp(`[${disguise.codeStart}\\\\%&]|${disguise.pattern.source}`, 'g')

function firstFrom(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** A place that does not cut a character in two. */
function keepPairs(text: string, cut: number): number {
  return cut < text.length && /[\ud800-\udbff]/.test(text.charAt(cut - 1)) ? cut - 1 : cut
}
