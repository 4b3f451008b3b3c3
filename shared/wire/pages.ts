/** Lists that may be long come in pages, oldest or newest first as the operation says. */
import { z } from 'zod'

/** Entries of a page at most. */
export const mostPerPage = 500

/** Ask for a page: `after` is the `next` of the page before. */
export const pageInput = {
  after: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(mostPerPage).default(100),
}

/** The mark of the next page; absent on the last. */
export const nextOutput = z.string().optional()
