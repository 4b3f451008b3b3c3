/** The one executor: every admitted call is authorised, run, bounded and told apart here. */
import { join } from 'node:path'
import { makeRefusal, ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Headline } from '@bridlewise/shared/wire'
import type { ReadLog, VersionLog } from '../editor/index.ts'
import { type Grants, type Ports, type RootCapability, requireGrant } from '../kernel/index.ts'
import type { Workspace } from '../workspace/index.ts'
import { aborted, raceAbort } from './abort.ts'
import { keepEnds } from './bound.ts'
import { runUntil } from './deadline.ts'
import type { AdmissibleTool, RunnableTool, ToolContext, ToolResult } from './definition.ts'
import { decide } from './policy.ts'
import { killed, stopped, timedOut } from './results.ts'
import type { TreeWatch } from './tree-watch.ts'

export interface ExecutorContext {
  readonly ports: Pick<Ports, 'process' | 'blobs' | 'approvals'>
  readonly grants: Grants
  readonly mode: ToolContext['mode']
  readonly workspace: Workspace
  readonly readLog: ReadLog
  readonly versions: VersionLog
  readonly tree: TreeWatch
  readonly reportFault: (fault: unknown) => string
}

/** A call that passed the gate. */
export interface AdmittedCall<T extends AdmissibleTool = AdmissibleTool> {
  readonly tool: T
  readonly input: unknown
  readonly headline: Headline
}

export type OnOutput = (stream: 'stdout' | 'stderr', text: string) => void

export interface ExecutedCall extends ToolResult {
  /** Where the whole text lies when `text` holds only a part. */
  readonly spill: { readonly ref: string; readonly bytes: number } | null
}

export const defaultDeadlineMs = 120_000
/** A tool that keeps its own deadline gets this much longer before it is given up. */
const slackMs = 2_000
/** Cancelling reaches a terminal state within 5 s; what a tool needs to stop must fit into that. */
const graceMs = 3_000
/** What one result may take of the model's context. */
export const textLimit = { bytes: 24 * 1024, lines: 1_000 }

/**
 * Settle whether an admitted call may run.
 *
 * Contract: nothing of the call has happened when this answers. An approval counts for the digest of
 * this very effect. No surface to ask on, no answer and a stopped run all mean no.
 * Refuses: capability_denied, approval_denied.
 */
export async function authoriseCall(context: ExecutorContext, call: AdmittedCall, signal: AbortSignal): Promise<Result<null>> {
  for (const capability of neededCapabilities[call.tool.capability]) {
    const grant = requireGrant(context.grants, capability)
    if (!grant.ok) return grant
  }
  const decision = decide(toolContext(context, ignoreOutput), call.tool, call.input)
  if (decision.kind === 'allow') return ok(null)
  if (decision.kind === 'deny') return refuse('approval_denied', { effect: decision.effect, reason: decision.reason })
  const answer = await raceAbort(context.ports.approvals.ask(decision.request, signal), signal)
  if (answer === aborted) return refuse('approval_denied', { effect: decision.request.effect, reason: 'the run was stopped' })
  return answer.ok ? ok(null) : answer
}

/**
 * Run an authorised call.
 *
 * Contract: always settles, a few seconds after `signal` aborts at the latest; a tool that breaks
 * or hangs becomes a result. The status tells apart what ran, what did not start, and what was
 * stopped with unknown effects.
 */
export async function executeCall(
  context: ExecutorContext,
  call: AdmittedCall<RunnableTool<unknown>> & { readonly onOutput: OnOutput },
  signal: AbortSignal,
): Promise<ExecutedCall> {
  const { tool, input, onOutput } = call
  const deadlineMs = tool.deadlineMs?.(input) ?? defaultDeadlineMs
  const settled = await runUntil(
    (stop) => tool.run(toolContext(context, onOutput), input, stop),
    { ms: deadlineMs + slackMs, graceMs },
    signal,
  )
  switch (settled.kind) {
    case 'settled':
      return boundResult(context, settled.value)
    case 'abandoned':
      return { ...(settled.because === 'cancelled' ? killed(tool.capability) : timedOut(tool.name, deadlineMs)), spill: null }
    case 'threw': {
      const fault = context.reportFault(settled.fault)
      return { ...stopped('failed', makeRefusal('tool_failed', { tool: tool.name, fault })), spill: null }
    }
  }
}

/** Which parts of the root policy a tool of each capability leans on. */
const neededCapabilities = {
  read: ['tool_dispatch'],
  write: ['tool_dispatch', 'repository_mutation'],
  execute: ['tool_dispatch', 'process_launch'],
} as const satisfies Record<string, readonly RootCapability[]>

/** What a tool may use. Reading tools that need a program, git for one, get it with read access here. */
function toolContext(context: ExecutorContext, onOutput: OnOutput): ToolContext {
  const { ports, grants, mode, workspace, readLog, versions, tree } = context
  const { root, writable } = workspace
  return {
    mode,
    workspace,
    grants,
    readLog,
    versions,
    tree,
    launch: async ({ argv, access, deadlineMs, outputLimit, live }, signal) => {
      const grant = requireGrant(grants, 'process_launch')
      if (!grant.ok) return { kind: 'not_started', refusal: grant.refusal }
      return ports.process.run(
        {
          argv,
          cwd: root,
          root,
          access: mode === 'plan' ? 'read' : access,
          ...(writable && { writable: writable.map((path) => join(root, path)) }),
          deadlineMs,
          outputLimit,
          ...(live === 'shown' ? { onOutput } : {}),
        },
        signal,
      )
    },
  }
}

const ignoreOutput: OnOutput = () => {}

/** Nothing is cut silently: the whole goes to the blob store, and the text says how to read on. */
async function boundResult({ ports }: ExecutorContext, result: ToolResult): Promise<ExecutedCall> {
  const { text, cut } = keepEnds(result.text, textLimit)
  if (cut === null) return { ...result, spill: null }
  const spill = await ports.blobs.put(result.text)
  return { ...result, text: `${text}\n[${result.readOn ?? 'Ask for less at a time to see the rest.'}]`, spill }
}
