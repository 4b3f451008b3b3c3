/** What one request to a model came to: the unit that spend and ceilings are counted in. */
import { z } from 'zod'
import { usageSchema } from './model.ts'

export const chargeSchema = usageSchema.extend({
  /** Billionths of a US dollar, at the price that was known when it was charged; null when none was. */
  nanos: z.number().int().nonnegative().nullable(),
  /** The endpoint did not say how many tokens it took; they are guessed from what was sent and what came. */
  estimated: z.boolean(),
  /** Milliseconds of the run since its charge before, or since it began. */
  ms: z.number().int().nonnegative(),
  /** The model that was asked; that of the run where it is not said. */
  modelId: z.string().optional(),
})
export type Charge = z.infer<typeof chargeSchema>
