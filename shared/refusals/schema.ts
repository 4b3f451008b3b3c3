/** The refusal on the wire. */
import { z } from 'zod'
import type { Refusal } from './refusal.ts'
import { isRefusalCode } from './registry.ts'

export const refusalSchema: z.ZodType<Refusal> = z.object({
  code: z.custom<Refusal['code']>(isRefusalCode),
  message: z.string(),
  fix: z.enum(['user', 'operator', 'model', 'project']),
  retry: z.enum(['never', 'after-change', 'later']),
  details: z.record(z.string(), z.unknown()).optional(),
})

/** The body of every 4xx and 5xx reply. */
export const refusalReplySchema = z.object({ refusal: refusalSchema })
