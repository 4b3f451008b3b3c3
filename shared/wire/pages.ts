/** Lists that may be long come in pages, oldest or newest first as the operation says. */
import { z } from 'zod'
import type { IdNoun } from './ids.ts'

/** Entries of a page at most. */
export const mostPerPage = 500

/**
 * Ask for a page: `after` is the `next` of the page before, which looks like `mark`; of a list that is
 * sorted by the ids of its entries it is an id.
 *
 * Contract: a mark that no page of such a list can have given is refused; it is not an empty page,
 * which would read as the end of the list.
 */
export function pageInput<Mark extends z.ZodType<string>>(mark: Mark) {
  return {
    after: mark.optional(),
    limit: z.coerce.number().int().min(1).max(mostPerPage).default(100),
  }
}

/** The mark of a list whose entries are numbered. */
export const numberMark = z.string().regex(/^[1-9][0-9]{0,14}$/, 'not the next of a page')

/** The mark of a list that is sorted by when its entries changed, then by their ids. */
export function timeMark(noun: IdNoun) {
  return z.string().regex(new RegExp(`^[1-9][0-9]{0,14}\\.${noun}_[0-9a-hjkmnp-tv-z]{26}$`), 'not the next of a page')
}

/** The mark of the next page; absent on the last. */
export const nextOutput = z.string().optional()
