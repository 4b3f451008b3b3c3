/** Assembling: the next request, from what stands and what was added. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { createReadLog, createVersionLog } from '../editor/index.ts'
import { requireGrant } from '../kernel/index.ts'
import { createTreeWatch, type ExecutorContext } from '../tools/index.ts'
import { narrowWrites, openWorkspace } from '../workspace/index.ts'
import { firstMessages, fitWindow, withPlaceholders } from './context/index.ts'
import { endOfSteps, type Turn, type TurnState, takeStep } from './turn-state.ts'
import type { RunScope } from './turn-types.ts'

/**
 * Make the next request.
 *
 * Contract: what was sent before is sent again unchanged and first, so that provider caches hit; only
 * what would not fit is shortened or summarised.
 * Refuses, as the turn's ending: capability_denied, project_missing, run_limit_reached, context_irreducible.
 */
export async function assemble(turn: Turn): Promise<TurnState> {
  const { context, messages, reading } = turn
  if (messages.length === 0) {
    const begun = await begin(turn)
    if (!begun.ok) return { name: 'done', ending: { kind: 'failed', refusal: begun.refusal } }
  }
  if (reading.input.task === 'compact') return { name: 'compacting', reason: 'asked' }
  const spent = endOfSteps(turn)
  if (spent) return { name: 'done', ending: spent }
  const { runId, mode } = context.scope
  const tools = turn.executor ? context.tools.forModel(mode) : []
  const fit = fitWindow(reading, { messages, tools })
  if (fit === 'compact') return { name: 'compacting', reason: 'threshold' }
  if (fit !== 'fits') return { name: 'done', ending: { kind: 'failed', refusal: fit } }
  const step = takeStep(turn)
  const sent = withPlaceholders(messages, reading.quarantined)
  const { correction } = reading
  return {
    name: 'streaming',
    request: { runId, step, modelId: turn.input.modelId, messages: sent.slice(), tools, correction },
  }
}

/** What happens once: the policy is asked, the project is opened and pinned, the first messages stand. */
async function begin(turn: Turn): Promise<Result<null>> {
  const { context, input, messages } = turn
  for (const capability of ['model_invocation', 'durable_audit'] as const) {
    const grant = requireGrant(context.grants, capability)
    if (!grant.ok) return grant
  }
  const { scope } = context
  if (turn.parent) {
    const shared = shareExecutor(turn.parent, scope)
    if (!shared.ok) return shared
    turn.executor = shared.value
  } else if (scope.project) {
    const workspace = await openWorkspace(scope.project.root, scope.project.withheld)
    if (!workspace.ok) return workspace
    const { ports, grants, reportFault } = context
    const readLog = createReadLog()
    const versions = createVersionLog(ports.versions)
    const tree = createTreeWatch({ workspace: workspace.value, readLog, versions, clock: ports.clock })
    turn.executor = { ports, grants, reportFault, mode: scope.mode, workspace: workspace.value, readLog, versions, tree }
  }
  messages.push(...(await firstMessages({ scope, workspace: turn.executor?.workspace ?? null, reading: turn.reading }, input)))
  return ok(null)
}

/**
 * What a child runs its calls with: what its parent has, narrowed. It has seen no file yet. What is kept of
 * changed files, and what is known of the tree, is the run's.
 */
function shareExecutor({ executor }: Turn, { mode, child }: RunScope): Result<ExecutorContext | null> {
  if (!executor) return ok(null)
  const workspace = narrowWrites(executor.workspace, child?.paths ?? [])
  if (!workspace.ok) return workspace
  return ok({ ...executor, mode, workspace: workspace.value, readLog: createReadLog() })
}
