/** A child: another turn of the same run, started by a call of the model, and what it is given. */
import { z } from 'zod'
import { runModeSchema } from './runs.ts'

/** Contract: never more than the turn has that gives it. */
export const childScopeSchema = z.object({
  /** 1 for a child of the run, 2 for a child of that. */
  depth: z.number().int().positive(),
  /** `plan`: it changes nothing. */
  mode: runModeSchema,
  /** Names of its tools. */
  tools: z.array(z.string()),
  /** Paths of the project that it may change, with what lies below them; `.` is all of it. */
  paths: z.array(z.string()),
  budget: z.object({
    /** Requests to the model. */
    requests: z.number().int(),
    ms: z.number().int(),
    /** Null: as much as the run has left. */
    tokens: z.number().int().nullable(),
    /** Billionths of a US dollar; null as for tokens. */
    nanos: z.number().int().nullable(),
  }),
})
export type ChildScope = z.infer<typeof childScopeSchema>
