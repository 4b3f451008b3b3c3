/** The few shapes a tool's result comes in, so that each tool says only what is its own. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { CallStatus, Capability } from '@bridlewise/shared/wire'
import type { ToolResult } from './definition.ts'

/** The tool ran to its end. */
export function done(result: Pick<ToolResult, 'summary' | 'text' | 'details'> & Partial<ToolResult>): ToolResult {
  return { status: 'done', effects: [], refusal: null, ...result }
}

/** The tool said no and changed nothing. */
export function refused(refusal: Refusal): ToolResult {
  return stopped('refused', refusal)
}

/** The call did not run to its end; `status` says how far it got. */
export function stopped(status: Exclude<CallStatus, 'done'>, refusal: Refusal): ToolResult {
  return {
    status,
    summary: summaries[status],
    text: refusal.message,
    details: { kind: 'blocker', code: refusal.code, message: refusal.message },
    effects: [],
    refusal,
  }
}

/** The run was stopped while the tool was at work. What only reads has left nothing behind. */
export function killed(capability: Capability): ToolResult {
  const text = capability === 'read' ? 'Stopped together with the run. Nothing was changed.' : killedText
  return {
    status: 'killed',
    summary: summaries.killed,
    text,
    details: { kind: 'text', text },
    effects: [],
    refusal: null,
  }
}

export const killedText = 'Killed because the run was stopped. Its effects up to then are unknown.'

export function timedOut(tool: string, deadlineMs: number): ToolResult {
  return stopped('timed_out', makeRefusal('tool_timed_out', { tool, seconds: Math.round(deadlineMs / 1000) }))
}

const summaries = {
  refused: 'refused',
  denied: 'denied',
  not_started: 'not started',
  killed: 'killed',
  timed_out: 'timed out',
  failed: 'broke',
} as const satisfies Record<Exclude<CallStatus, 'done'>, string>
