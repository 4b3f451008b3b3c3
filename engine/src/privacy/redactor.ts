/** The redactor: takes known secrets and secret-looking values out of a text and says how many of which kind. */
import { applyReplacements, createSeeker, type RedactorSettings } from './replacements.ts'

export interface Redaction {
  readonly text: string
  /** How many values of each kind were replaced; empty when the text is as it was. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Redactor {
  /**
   * Replace every secret that is recognised by a placeholder; the rest of the text stays byte for byte.
   *
   * Contract: deterministic for one redactor, and idempotent. The work is bounded by the length of the
   * text; a text that asks for more is withheld from there on (`withheld`), never passed.
   */
  redact(text: string): Redaction
}

/** Make the redactor of one run. */
export function createRedactor(settings: RedactorSettings): Redactor {
  const seek = createSeeker(settings)
  return {
    redact(text) {
      const found = seek(text)
      const counts: Record<string, number> = {}
      for (const kind of found.flatMap(({ kinds }) => kinds)) counts[kind] = (counts[kind] ?? 0) + 1
      return { text: applyReplacements(text, found), counts }
    },
  }
}
