/** What a model is given to read, in figures, and what a person changed about it. */
import { z } from 'zod'

const count = z.number().int().nonnegative()

/** One instruction file that a request held. `user`: for every project of this installation; `nested`: below the root. */
export const instructionFileSchema = z.object({
  path: z.string(),
  scope: z.enum(['user', 'project', 'nested']),
  bytes: count,
  /** What was left out of it, in words, or null. */
  cut: z.string().nullable(),
})
export type InstructionFile = z.infer<typeof instructionFileSchema>

/** The parts of a request, in tokens as they were estimated. */
export const contextPartsSchema = z.object({
  system: count,
  instructions: count,
  goal: count,
  tools: count,
  summary: count,
  history: count,
  results: count,
})
export type ContextParts = z.infer<typeof contextPartsSchema>

/** How full the model's window was with one request. */
export const contextMeterSchema = z.object({
  /** The sum of the parts. */
  tokens: count,
  parts: contextPartsSchema,
  /** What the model takes, in tokens; null when nobody knows. */
  window: count.nullable(),
  /** Where earlier turns are summarised by themselves; null without a window. */
  compactAt: count.nullable(),
  /** What estimates were multiplied with, as this endpoint and model reported before. */
  correction: z.number().positive(),
  instructions: z.array(instructionFileSchema),
})
export type ContextMeter = z.infer<typeof contextMeterSchema>

/**
 * Earlier turns were put into a summary. They stay in the ledger; requests after this hold the summary
 * in their place.
 */
export const compactionSchema = z.object({
  /** The place of the last entry that the summary stands for. */
  upTo: count,
  /** How many messages that were. */
  messages: count,
  summary: z.string(),
  /** `tail`: there was no usable summary, so the older messages are left out and that is said. */
  method: z.enum(['summary', 'tail']),
  reason: z.enum(['asked', 'threshold']),
  tokensBefore: count,
  tokensAfter: count,
})
export type Compaction = z.infer<typeof compactionSchema>

/** One message, as a model reads it, that an endpoint refused: `message` counts within the entry at `seq`. */
export const itemPlaceSchema = z.object({ seq: count, message: count })
export type ItemPlace = z.infer<typeof itemPlaceSchema>
