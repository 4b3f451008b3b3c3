/** Who decides whether an admitted call runs: a rule, or the person. */
import { createHash } from 'node:crypto'
import type { ApprovalRequest } from '../kernel/index.ts'
import { canonicalise, makeWellFormed } from '../timeline/index.ts'
import type { AdmissibleTool, Concern, ToolContext } from './definition.ts'

export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly effect: string; readonly reason: string }
  | { readonly kind: 'ask'; readonly request: ApprovalRequest }

/**
 * The default policy: reads, edits in the project and confined commands without network run; what a
 * tool has a concern about, a control file for one, asks. Deny wins over ask, ask over allow.
 */
export function decide(context: ToolContext, tool: AdmissibleTool, input: unknown): Decision {
  const { verb, object } = tool.headline(input)
  const effect = `${verb} ${object}`
  if (tool.policy === 'deny') return { kind: 'deny', effect, reason: `a rule forbids ${tool.name}` }
  const concern: Concern | null = tool.concern?.(context, input) ?? null
  if (concern) return { kind: 'ask', request: askFor(context, tool, { input, ...concern }) }
  if (tool.policy === 'allow') return { kind: 'allow' }
  return { kind: 'ask', request: askFor(context, tool, { input, effect, reason: `${tool.name} always asks` }) }
}

/** The digest covers everything that decides what happens, so that an answer fits this call alone. */
function askFor(
  context: ToolContext,
  tool: AdmissibleTool,
  { input, effect, reason }: Concern & { readonly input: unknown },
): ApprovalRequest {
  const resolved = canonicalise(makeWellFormed({ tool: tool.name, root: context.workspace.root, mode: context.mode, input }))
  return { tool: tool.name, effect, reason, digest: createHash('sha256').update(resolved).digest('hex') }
}
