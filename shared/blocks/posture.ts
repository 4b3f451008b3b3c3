import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'

export const postureLineSchema = z.object({
  id: z.string(),
  area: z.enum(['confinement', 'network', 'storage', 'keys', 'model', 'governance', 'boundary']),
  title: z.string(),
  state: z.enum(['enforced', 'partly', 'off']),
  /** What was measured, and how. */
  evidence: z.string(),
  /** What would improve it; null when nothing is missing. */
  remedy: z.string().nullable(),
})
export type PostureLine = z.infer<typeof postureLineSchema>

const limitLineSchema = z.object({
  id: z.string(),
  area: z.enum(['requests', 'rates', 'streams', 'accounts', 'runs', 'model', 'commands', 'tools', 'storage', 'audit']),
  title: z.string(),
  value: z.number().int(),
  unit: z.enum(['count', 'bytes', 'characters', 'milliseconds']),
  /** Value and unit as a person reads them. */
  text: z.string(),
  /** The file that it stands in. */
  where: z.string(),
})
export type LimitLine = z.infer<typeof limitLineSchema>

export const posture = defineBlock({
  id: 'posture',
  title: 'Posture',
  about: 'What is enforced on this host, what is not, and how to improve it.',
  surface: 'view',
  operations: {
    get: query({
      path: '',
      title: 'Read the posture',
      input: z.strictObject({}),
      output: z.object({
        confinement: z.enum(['full', 'partly', 'off']),
        lines: z.array(postureLineSchema),
        /** Statements of what the product does not claim. */
        notClaimed: z.array(z.string()),
        /** Every limit in force. */
        limits: z.array(limitLineSchema),
        measuredAt: z.number().int(),
      }),
    }),
  },
  tables: [
    {
      id: 'lines',
      title: 'Posture',
      operation: 'get',
      rows: 'lines',
      key: 'id',
      empty: 'Nothing was measured.',
      columns: [
        { field: 'title', title: 'What', format: 'text' },
        { field: 'state', title: 'State', format: 'state' },
        { field: 'evidence', title: 'Measured', format: 'text' },
        { field: 'remedy', title: 'Remedy', format: 'text' },
      ],
    },
  ],
  signals: [{ id: 'confinement', title: 'Confinement', operation: 'get', at: 'confinement', format: 'state' }],
})
