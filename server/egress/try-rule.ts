/** What a rule would keep back in a project, before it is made. */
import { checkEgressRule, findWithheld, withholding } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { EgressRule } from '@bridlewise/shared/wire'
import { createWithholder, isKnownByWords } from './withhold.ts'

export interface Tried {
  /** The first of them, by depth. */
  readonly files: readonly string[]
  readonly total: number
  /** False when the project is larger than what was looked at. */
  readonly complete: boolean
  /** The text as it would leave in an answer of a tool that names no file; null when none was given. */
  readonly text: string | null
}

export interface Trial {
  readonly rule: EgressRule
  readonly text: string | null
}

const mostShown = 200

/**
 * Contract: without a text it looks at names only, ignored and hidden ones too; with one it reads what the rule keeps.
 * Refuses: pattern_invalid.
 */
export async function tryRule(root: string, { rule, text }: Trial, signal: AbortSignal): Promise<Result<Tried>> {
  const checked = checkEgressRule(rule)
  if (!checked.ok) return checked
  const rules = withholding([checked.value])
  const reading = text !== null && isKnownByWords(checked.value) ? 'words' : 'names'
  const { files, words, complete } = await findWithheld(root, { rules, reading }, signal)
  return ok({
    files: files.slice(0, mostShown).map(({ path }) => path),
    total: files.length,
    complete,
    text: text === null ? null : createWithholder(rules, words).text(text),
  })
}
