/** Going back: what is shown before it, and what it leaves in the conversation. */
import { z } from 'zod'
import { rewindModeSchema } from './beats.ts'
import { idOf } from './ids.ts'

/**
 * What a rewind would do with one file. `restore`: its earlier content comes back. `remove`: the run made
 * it. `same`: it is as it was before. `conflict`: it is not what the run left, so it stays unless the person
 * decides otherwise. `lost`: its earlier content is not there to be put back.
 */
export const filePlanSchema = z.object({
  path: z.string(),
  plan: z.enum(['restore', 'remove', 'same', 'conflict', 'lost']),
  /** Why it is a conflict or lost, as a sentence; empty for the others. */
  reason: z.string(),
  /** Digest of what it holds now, null when it is not there or cannot be read. A decision about a conflict counts for it alone. */
  now: z.string().nullable(),
  /** Whether the person may put it back in spite of the conflict. */
  decidable: z.boolean(),
})
export type FilePlan = z.infer<typeof filePlanSchema>

/** A rewind as the conversation shows it. */
export const rewindMarkSchema = z.object({
  id: idOf('rewind'),
  mode: rewindModeSchema,
  at: z.number().int(),
  /** Whether it took words back. */
  retracts: z.boolean(),
  /** False once a later rewind went back to before it. */
  counts: z.boolean(),
  restored: z.number().int(),
  removed: z.number().int(),
  /** Files that were left because somebody else changed them or their content is gone. */
  kept: z.number().int(),
})
export type RewindMark = z.infer<typeof rewindMarkSchema>
