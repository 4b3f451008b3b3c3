/** How one model at one endpoint wants to be spoken to: facts that were documented or tried, never guesses about quality. */
import { z } from 'zod'
import { refusalSchema } from '../refusals/schema.ts'

/** Raised when a field changes its meaning. A profile of another version is not used and has to be made anew. */
export const profileVersion = 1

/**
 * A profile can be handed on: it holds no address, no key and no word of anybody's.
 *
 * Contract: every field has a value. What was not tried holds what the protocol says.
 */
export const profileSchema = z.strictObject({
  version: z.literal(profileVersion),
  /** Whether an answer comes as events; otherwise it is asked for, and comes, in one piece. */
  streaming: z.boolean(),
  /** Whether `stream_options` may be sent. */
  streamOptions: z.boolean(),
  /** When tokens are reported: if asked for with `stream_options`, unasked, or not at all. */
  usage: z.enum(['asked', 'unasked', 'none']),
  /** Whether tools may be offered, and how many calls one answer holds. */
  calls: z.enum(['parallel', 'single', 'none']),
  /** Whether fragments of a call carry an `index`. */
  callIndex: z.boolean(),
  /** When the name of a call comes: with its first fragment or with a later one. */
  callName: z.enum(['first', 'late']),
  /** The longest name of a tool that is taken, in characters. */
  toolNameLength: z.number().int().min(1).max(1024),
  /** The role of the instructions; for `user` they stand in front of the first message of the person. */
  instructions: z.enum(['system', 'developer', 'user']),
  /** Whether a system message may stand elsewhere than in front. */
  laterSystem: z.boolean(),
  /** Which `response_format` is taken. */
  json: z.enum(['schema', 'object', 'none']),
  images: z.boolean(),
  /** The field that reasoning comes in, or null; and whether it must be sent back or must not. */
  reasoning: z.strictObject({
    field: z.enum(['reasoning_content', 'reasoning', 'reasoning_text']).nullable(),
    back: z.enum(['echo', 'strip']),
  }),
  /** The context in tokens, where somebody states it. */
  contextWindow: z.number().int().positive().nullable(),
  /** What the longest answer is called. */
  outputLimit: z.enum(['max_tokens', 'max_completion_tokens', 'none']),
  /** Whether only the usual temperature is taken. */
  temperatureFixed: z.boolean(),
  /** Whether the endpoint went on answering the next request after one was broken off. */
  cancel: z.boolean(),
  /** Where an error says what is wrong. */
  errors: z.enum(['error.message', 'message', 'detail', 'text']),
})
export type Profile = z.infer<typeof profileSchema>

/** A profile of one model, and where it comes from. */
export const knownProfileSchema = z.object({
  profile: profileSchema,
  /** `corrected`: an endpoint refused what was known before, and one fact of it was changed. */
  source: z.enum(['probed', 'imported', 'corrected']),
  at: z.number().int(),
})
export type KnownProfile = z.infer<typeof knownProfileSchema>

/** One thing that was tried at an endpoint. `unclear` leaves what the profile said before. */
export const probeStepSchema = z.object({
  id: z.string(),
  title: z.string(),
  answer: z.enum(['yes', 'no', 'unclear']),
  note: z.string(),
})
export type ProbeStep = z.infer<typeof probeStepSchema>

/** What a probe asks, known before it starts, in its order. */
export const probeQuestionSchema = probeStepSchema.pick({ id: true, title: true })
export type ProbeQuestion = z.infer<typeof probeQuestionSchema>

/** The most that a probe sends and asks for. What is really used is usually a third of it. */
export const probeBoundsSchema = z.object({
  requests: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
})
export type ProbeBounds = z.infer<typeof probeBoundsSchema>

/** What a watcher of a probe gets, numbered from 1; `ended` is the last. */
export const probeFrameSchema = z.discriminatedUnion('kind', [
  z.object({ number: z.number().int(), kind: z.literal('step'), step: probeStepSchema, tookMs: z.number().int() }),
  z.object({
    number: z.number().int(),
    kind: z.literal('ended'),
    /** `stored` is the only one after which there is a new profile; `failed` is a fault of this server. */
    outcome: z.enum(['stored', 'refused', 'cancelled', 'failed']),
    refusal: refusalSchema.nullable(),
  }),
])
export type ProbeFrame = z.infer<typeof probeFrameSchema>
