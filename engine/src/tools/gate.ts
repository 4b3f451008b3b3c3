/** The gate: every call of the model passes here before anything is run. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Finish, Headline, ModelCall, RunMode } from '@bridlewise/shared/wire'
import type { z } from 'zod'
import { containsPlaceholder } from '../privacy/index.ts'
import { readArguments } from './arguments.ts'
import type { AdmissibleTool } from './definition.ts'
import { type LoopWatch, loopKey } from './loop.ts'
import { isUsableIn, type ToolRegistry } from './registry.ts'

export interface GateContext {
  readonly tools: ToolRegistry
  readonly loop: LoopWatch
  readonly mode: RunMode
  readonly hasProject: boolean
}

/** A call of one answer. `finish` is how that answer ended, `last` says that no call follows. */
export interface GateInput {
  readonly call: ModelCall
  readonly finish: Finish
  readonly last: boolean
}

/** `key` stands for tool and arguments when the loop watch is told how the call ended. */
export type Verdict =
  | {
      readonly kind: 'admitted'
      readonly key: string
      readonly tool: AdmissibleTool
      readonly input: unknown
      readonly headline: Headline
    }
  | { readonly kind: 'blocked'; readonly input: unknown; readonly headline: Headline; readonly refusal: Refusal }

/**
 * Judge one call.
 *
 * Contract: an admitted call has a tool of this run and an input its schema accepted, exactly as
 * sent. A blocked one carries a refusal the model reads. Nothing is mended, guessed or replaced.
 * Refuses: tool_unknown, tool_call_cut, tool_input_invalid, tool_not_in_mode, project_needed,
 * governance_blocked, placeholder_in_call, tool_loop.
 */
export function judgeCall(context: GateContext, { call, finish, last }: GateInput): Verdict {
  const tool = context.tools.find(call.name)
  const read = readArguments(call.arguments)
  const shown = read.kind === 'read' ? read.value : call.arguments
  const key = loopKey(call.name, shown)
  const unread: Headline = { verb: 'Call', object: call.name }
  const loops = context.loop.repeats(key)
  if (loops !== null) {
    return {
      kind: 'blocked',
      input: shown,
      headline: unread,
      refusal: makeRefusal('tool_loop', { tool: call.name, times: loops }),
    }
  }
  const block = (refusal: Refusal, headline: Headline = unread): Verdict => {
    context.loop.record(key, tool, { text: refusal.message, effects: [] })
    return { kind: 'blocked', input: shown, headline, refusal }
  }
  if (!tool) return block(makeRefusal('tool_unknown', { tool: call.name, available: listNames(context) }))

  // Arguments that came whole are whole however the answer ended: no part of an object is an object.
  const empty = call.arguments.trim() === ''
  if (read.kind === 'cut' || (finish === 'length' && last && (empty || read.kind === 'invalid'))) {
    return block(makeRefusal('tool_call_cut', { tool: tool.name }))
  }
  if (read.kind === 'invalid') return block(makeRefusal('tool_input_invalid', { tool: tool.name, problem: read.problem }))
  const parsed = tool.input.safeParse(read.value)
  if (!parsed.success) {
    return block(makeRefusal('tool_input_invalid', { tool: tool.name, problem: explainIssues(parsed.error.issues) }))
  }
  const headline = shorten(tool.headline(parsed.data))
  if (tool.policy === 'blocked') return block(makeRefusal('governance_blocked', { action: tool.action }), headline)
  if (!isUsableIn(tool, context.mode)) return block(makeRefusal('tool_not_in_mode', { tool: tool.name }), headline)
  if (!context.hasProject) return block(makeRefusal('project_needed'), headline)
  if (actsOutside(tool) && containsPlaceholder(JSON.stringify(parsed.data))) {
    return block(makeRefusal('placeholder_in_call', { tool: tool.name }), headline)
  }
  return { kind: 'admitted', key, tool, input: parsed.data, headline }
}

/**
 * Whether what a call says is used as it stands, by a shell or elsewhere. A placeholder there would be
 * taken for the value; the editor judges its texts itself, for a file may hold one already.
 */
function actsOutside({ capability }: AdmissibleTool): boolean {
  return capability === 'execute'
}

function listNames({ tools, mode, hasProject }: GateContext): string {
  const names = hasProject ? tools.forModel(mode).map(({ name }) => name) : []
  return names.length > 0 ? names.join(', ') : 'none'
}

/** A row is a row: the whole of a long command stands in the input beside it, and the cut says how long that is. */
function shorten({ verb, object }: Headline): Headline {
  if (object.length <= maxHeadline) return { verb, object }
  return { verb, object: `${object.slice(0, maxHeadline).toWellFormed()}… (${object.length} characters)` }
}

const maxHeadline = 300

/** The first issues as `edits[0].old: …`, so that the model sees where to look. */
function explainIssues(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, 5).map((issue) => {
    const path = issue.path.reduce<string>(
      (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
      '',
    )
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  const more = issues.length - shown.length
  return `${shown.join('; ').slice(0, 1000)}${more > 0 ? `; and ${more} more` : ''}`
}
