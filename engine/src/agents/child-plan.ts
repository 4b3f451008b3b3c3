/** What a child gets: what its call asks for, held against what the turn has that gives it. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ChildScope } from '@bridlewise/shared/wire'
import { type Delegation, isDelegating, type ToolRegistry } from '../tools/index.ts'
import { liesIn, narrowWrites } from '../workspace/index.ts'
import { lineOf, rootOf, type Turn, takeExecutor } from './turn-state.ts'

export const childLimits = {
  /** Children of children of the run; those of these get no child of their own. */
  depth: 2,
  /** In one run, at whatever depth. */
  children: 16,
  /** Of one turn. */
  atOnce: 4,
  /** What a child gets that is told nothing else. */
  requests: 30,
  minutes: 15,
  calls: 150,
  /** Of its answer, what the turn that asked is shown. */
  answer: { bytes: 8 * 1024, lines: 200 },
} as const

export interface ChildPlan {
  readonly task: string
  readonly scope: ChildScope
  readonly tools: ToolRegistry
}

/**
 * Plan a child, and count it.
 *
 * Contract: never more than the turn has: its tools, the paths it may change, its mode, what is left of
 * its budget. A child without paths changes nothing.
 * Refuses: task_too_many, task_beyond, tool_unknown, path_invalid, path_outside_project, path_not_given.
 */
export function planChild(turn: Turn, delegation: Delegation): Result<ChildPlan> {
  const { task } = delegation
  const { scope, tools } = turn.context
  const root = rootOf(turn)
  const depth = (scope.child?.depth ?? 0) + 1
  if (depth > childLimits.depth) return refuse('task_beyond', { problem: 'a task of a task gives none itself' })
  if (root.tally.children >= childLimits.children) return refuse('task_too_many', { limit: childLimits.children })
  const paths = planPaths(turn, delegation)
  if (!paths.ok) return paths
  const mode = paths.value.length === 0 ? 'plan' : 'act'
  const given = depth < childLimits.depth ? tools : tools.only((tool) => !isDelegating(tool))
  const offered = given.forModel(mode).map(({ name }) => name)
  const wanted = delegation.tools ?? offered
  for (const name of wanted) {
    if (offered.includes(name)) continue
    const changes = mode === 'plan' && tools.forModel('act').some((tool) => tool.name === name)
    if (changes) return refuse('task_beyond', { problem: `${name} changes things, and the task names no paths` })
    return refuse('tool_unknown', { tool: name, available: offered.join(', ') })
  }
  root.tally.children += 1
  return ok({
    task,
    scope: { depth, mode, tools: [...wanted], paths: paths.value, budget: planBudget(turn, delegation) },
    tools: given.only(({ name }) => wanted.includes(name)),
  })
}

/** Whether two children may work at the same time: neither may change everything, nor both the same. */
export function areIndependent(one: ChildScope, other: ChildScope): boolean {
  if ([one, other].some(({ paths }) => paths.includes('.'))) return false
  return !overlap(one.paths, other.paths) && !overlap(other.paths, one.paths)
}

function overlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => liesIn(others, path))
}

function planPaths(turn: Turn, { paths }: Delegation): Result<string[]> {
  if (paths.length === 0) return ok([])
  if (turn.context.scope.mode === 'plan') return refuse('task_beyond', { problem: 'nothing may be changed here' })
  const narrowed = narrowWrites(takeExecutor(turn).workspace, paths)
  return narrowed.ok ? ok([...(narrowed.value.writable ?? ['.'])]) : narrowed
}

function planBudget(turn: Turn, { budget }: Delegation): ChildScope['budget'] {
  const left = Math.min(...lineOf(turn).map(({ limits, tally }) => limits.steps - tally.steps))
  const { requests = childLimits.requests, minutes = childLimits.minutes, tokens = null, dollars } = budget
  const spent = turn.context.ports.clock.elapsed() - turn.tally.startedAt
  return {
    requests: Math.max(0, Math.min(requests, left)),
    ms: Math.max(0, Math.min(minutes * 60_000, Math.floor(turn.limits.wallMs - spent))),
    tokens,
    nanos: dollars === undefined ? null : Math.round(dollars * 1e9),
  }
}
