/** What a rule would keep back in a project, before it is made. */
import { checkEgressRule, findWithheld, withholding } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { EgressRule } from '@bridlewise/shared/wire'

export interface Tried {
  /** The first of them, by depth. */
  readonly files: readonly string[]
  readonly total: number
  /** False when the project is larger than what was looked at. */
  readonly complete: boolean
}

const mostShown = 200

/**
 * Contract: looks at names only, ignored and hidden ones too.
 * Refuses: pattern_invalid.
 */
export async function tryRule(root: string, rule: EgressRule, signal: AbortSignal): Promise<Result<Tried>> {
  const checked = checkEgressRule(rule)
  if (!checked.ok) return checked
  const { files, complete } = await findWithheld(root, { rules: withholding([checked.value]), reading: 'names' }, signal)
  return ok({ files: files.slice(0, mostShown).map(({ path }) => path), total: files.length, complete })
}
