/** Frames: the events of a run's stream. `number` is the event's id, `kind` its name. */
import { z } from 'zod'
import { beatSchema } from './beats.ts'
import { idOf } from './ids.ts'
import { runSchema } from './runs.ts'
import { waitingSchema } from './waiting.ts'

const number = z.number().int().positive()
/** The call whose child it comes from; absent for what comes from the run itself. */
const within = idOf('call').optional()

/**
 * Contract: numbers start at 1 and have no gaps; the last frame is `ended` and there is exactly one.
 * A stream that is asked to go on after an id that it never gave, or does not keep any more, begins with one
 * `resync`: what its viewer has counts no more, `run` is how things stand, and the frames that are kept follow from the first.
 * `text` and `reasoning` are pieces to append in order; `output` is live output of a running call,
 * of which the call's `result` beat holds the lasting form. `waiting` is a countdown; see `waitingSchema`.
 */
export const frameSchema = z.discriminatedUnion('kind', [
  z.object({ number: z.literal(0), kind: z.literal('resync'), run: runSchema }),
  z.object({ number, kind: z.literal('started'), run: runSchema }),
  z.object({ number, kind: z.literal('text'), step: z.number().int(), text: z.string(), within }),
  z.object({ number, kind: z.literal('reasoning'), step: z.number().int(), text: z.string(), within }),
  z.object({
    number,
    kind: z.literal('output'),
    callId: z.string(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
    within,
  }),
  z.object({ number, kind: z.literal('waiting'), ...waitingSchema.shape, within }),
  z.object({ number, kind: z.literal('beat'), beat: beatSchema }),
  z.object({ number, kind: z.literal('ended'), run: runSchema }),
])
export type Frame = z.infer<typeof frameSchema>
export type FrameKind = Frame['kind']
/** A frame before the feed has numbered it. A `resync` is said to one viewer, and is neither numbered nor stored. */
export type FrameDraft = { [K in FrameKind]: Omit<Extract<Frame, { kind: K }>, 'number'> }[Exclude<FrameKind, 'resync'>]
