/** How much of a window a request takes: estimated before it is sent, corrected by what endpoints report. */
import type { ContextParts, ModelCall, ModelMessage, ToolSchema } from '@bridlewise/shared/wire'

/** Beside its words, what a message and a tool cost in the formats that models are trained on. */
const perMessage = 4
const perTool = 8
/** UTF-8 bytes a token: about four letters of English, and a little over one character of Chinese. */
const bytesPerToken = 4

/** Correction stays between these, whatever an endpoint claims. */
const correctionBounds = { least: 0.5, most: 3 }
/** Reports of requests smaller than this say more about the endpoint's own words than about ours. In tokens. */
const leastReported = 200

export interface Measured {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSchema[]
}

/** What the system message holds beside the product's own words, as texts that stand in it. */
export interface SystemShare {
  readonly instructions: string
  readonly goal: string
}

/** The tokens of a text, uncorrected. */
export function estimateText(text: string): number {
  return Buffer.byteLength(text) / bytesPerToken
}

/** The tokens of one message, uncorrected. */
export function estimateMessage(message: ModelMessage): number {
  const words = estimateText(message.text) + perMessage
  if (message.role !== 'assistant') return words
  const { calls, thought } = message
  const thinking = thought ? estimateText(thought.reasoning) + estimateFields(thought.extra) : 0
  return calls.reduce((sum, call) => sum + estimateCall(call), words + thinking)
}

function estimateCall({ name, arguments: text, extra }: ModelCall): number {
  return estimateText(name) + estimateText(text) + estimateFields(extra)
}

function estimateFields(extra: Readonly<Record<string, unknown>> | null | undefined): number {
  return extra ? estimateText(JSON.stringify(extra)) : 0
}

/** The tokens of a whole request, uncorrected and rounded up. */
export function estimateRequest({ messages, tools }: Measured): number {
  const inMessages = messages.reduce((sum, message) => sum + estimateMessage(message), 0)
  return Math.ceil(inMessages + estimateTools(tools))
}

/**
 * A request by its parts, corrected.
 *
 * Contract: every message and tool counts once; `tokens` is the sum of the parts. A message that
 * stands in no ledger entry and is not the first is the summary of earlier turns.
 */
export function measureParts(
  { messages, tools }: Measured,
  { correction, system }: { readonly correction: number; readonly system: SystemShare },
): { readonly tokens: number; readonly parts: ContextParts } {
  const instructions = estimateText(system.instructions)
  const goal = estimateText(system.goal)
  const raw = { system: 0, instructions, goal, tools: estimateTools(tools), summary: 0, history: 0, results: 0 }
  for (const message of messages) {
    const tokens = estimateMessage(message)
    if (message.role === 'system') raw.system += Math.max(0, tokens - instructions - goal)
    else if (message.role === 'tool') raw.results += tokens
    else raw.history += tokens
  }
  const parts = Object.fromEntries(Object.entries(raw).map(([part, tokens]) => [part, Math.ceil(tokens * correction)]))
  return { tokens: Object.values(parts).reduce((sum, tokens) => sum + tokens, 0), parts: parts as ContextParts }
}

export interface Report {
  /** Of the request as it was sent, uncorrected. */
  readonly estimated: number
  /** Tokens that the endpoint says it read, cached ones included; 0 when it said nothing. */
  readonly reported: number
}

/**
 * What to multiply the next estimate with, after one more report.
 *
 * Contract: bounded, and moved by half of the way at a time, so that no single absurd report decides.
 */
export function correct(correction: number, { estimated, reported }: Report): number {
  if (reported < leastReported || estimated < leastReported) return correction
  const { least, most } = correctionBounds
  const seen = Math.min(most, Math.max(least, reported / estimated))
  return Number(((correction + seen) / 2).toFixed(4))
}

function estimateTools(tools: readonly ToolSchema[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
}

/** Schemas are written out to be measured, and each stands in every request of every run. */
const measured = new WeakMap<ToolSchema, number>()

function toolTokens(tool: ToolSchema): number {
  const known = measured.get(tool)
  if (known !== undefined) return known
  const tokens = estimateText(JSON.stringify(tool)) + perTool
  measured.set(tool, tokens)
  return tokens
}
