/** What a run waits for, and until when: the words of its countdowns. */
import { z } from 'zod'
import { refusalSchema } from '../refusals/schema.ts'

/**
 * Something that a run has waited for a while, with the moment at which it waits no longer.
 *
 * Contract: it is told only when the wait has lasted, so a fast answer costs none. The next piece of the
 * answer, or the next beat, ends it; nothing else says so.
 */
export const waitingSchema = z.object({
  /**
   * `connection` and `answer`: the endpoint, before its first word; `words`: it fell silent; `attempt`: the next
   * request, after one that failed; `call`: a tool; `run`: the end of the whole run, which does not end with the next word;
   * `person`: whoever wants to see the request before it is sent.
   */
  for: z.enum(['connection', 'answer', 'words', 'attempt', 'call', 'run', 'person']),
  step: z.number().int(),
  /** Milliseconds since 1970. */
  until: z.number().int(),
  /** The attempt that follows, of how many, and why the one before failed. */
  attempt: z.object({ next: z.number().int(), of: z.number().int(), refusal: refusalSchema }).nullable(),
})
export type Waiting = z.infer<typeof waitingSchema>
