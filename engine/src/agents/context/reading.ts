/** What one turn knows about what its model reads: learned, measured and quarantined on the way. */
import type { ContextMeter, ModelMessage, Usage } from '@bridlewise/shared/wire'
import { boundsOf } from './cut.ts'
import { type ContextInput, type Instruction, type QuarantinedItem, usualContext } from './input.ts'
import { correct, type Measured, measureParts, type SystemShare } from './measure.ts'
import { keyOf, withPlaceholders } from './quarantine.ts'
import { leaveOutRepeats } from './repeats.ts'
import type { Counted } from './truncation.ts'

export interface Reading {
  readonly input: ContextInput
  /** What estimates are multiplied with. */
  correction: number
  /** The instruction files in force, nested ones as they are met. */
  readonly instructions: Instruction[]
  /** Directories whose instruction file was looked for. */
  readonly visited: Set<string>
  /** What stands in the system message beside the product's own words. */
  share: SystemShare
  /** Of the request that is being made. */
  meter: ContextMeter | null
  readonly quarantined: Map<string, QuarantinedItem>
  /** How many messages stood after the last compaction, and whether it brought them low enough. */
  compacted: { readonly messages: number; readonly enough: boolean } | null
  /** Whether it was said that fields of a vendor stay here. */
  toldLeftOut: boolean
  /** What was reported of the newest request, where it can be held against what was sent. */
  counted: Counted | null
  /** Whether it was said that the endpoint reads only a part. */
  toldCut: boolean
}

export function startReading(given: Partial<ContextInput> = {}): Reading {
  const input = { ...usualContext, ...given }
  return {
    input,
    correction: input.correction,
    instructions: [],
    visited: new Set(),
    share: { instructions: '', goal: '' },
    meter: null,
    quarantined: new Map(input.quarantined.map((item) => [keyOf(item), item])),
    compacted: null,
    toldLeftOut: false,
    counted: null,
    toldCut: false,
  }
}

/** Send placeholders for these from now on; gives the messages with them. */
export function leaveOut(
  { quarantined }: Reading,
  messages: readonly ModelMessage[],
  items: readonly QuarantinedItem[],
): readonly ModelMessage[] {
  for (const item of items) quarantined.set(keyOf(item), item)
  return withPlaceholders(messages, quarantined)
}

/** Measure a request as it will be sent. */
export function meterOf(reading: Reading, { messages, tools }: Measured): ContextMeter {
  const { window } = reading.input
  const sent = { messages: leaveOutRepeats(withPlaceholders(messages, reading.quarantined)), tools }
  const { tokens, parts } = measureParts(sent, { correction: reading.correction, system: reading.share })
  return {
    tokens,
    parts,
    window,
    compactAt: window === null ? null : boundsOf(window).compactAt,
    correction: reading.correction,
    instructions: reading.instructions.map(({ path, scope, bytes, cut }) => ({ path, scope, bytes, cut })),
  }
}

/** Learn from what the endpoint says it read of the request that was measured last. */
export function learn(reading: Reading, { inputTokens }: Usage): void {
  if (!reading.meter) return
  const { tokens, correction } = reading.meter
  reading.correction = correct(reading.correction, { estimated: tokens / correction, reported: inputTokens })
}

/** What every request of the turn holds whatever is summarised. */
export function fixedTokens({ parts }: ContextMeter): number {
  return parts.system + parts.instructions + parts.goal + parts.tools
}
