/** Where a text came from. */
import { z } from 'zod'

/** Lines of one file. */
export const fileLinesSchema = z.object({
  path: z.string(),
  /** First and last line of each stretch, counted from 1, in order and apart. Empty when they are not known. */
  lines: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** SHA-256 of the whole file as it was read; null when it was not read whole. */
  digest: z.string().nullable(),
})
export type FileLines = z.infer<typeof fileLinesSchema>
