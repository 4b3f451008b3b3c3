import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'

const jsonSchema = z.record(z.string(), z.unknown())

/** One operation as the served schema describes it: enough to call it and to draw a form for it. */
export const servedOperationSchema = z.object({
  name: z.string(),
  kind: z.enum(['query', 'command', 'stream']),
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  title: z.string(),
  effect: z.enum(['read', 'write', 'spend']),
  idempotency: z.enum(['none', 'key', 'once']),
  input: jsonSchema,
  output: jsonSchema,
  refusals: z.array(z.string()),
})
export type ServedOperation = z.infer<typeof servedOperationSchema>

const format = z.enum(['text', 'mono', 'number', 'bytes', 'duration', 'time', 'state', 'flag', 'list'])

export const servedBlockSchema = z.object({
  id: z.string(),
  title: z.string(),
  about: z.string(),
  surface: z.enum(['view', 'generic', 'none']),
  operations: z.array(servedOperationSchema),
  tables: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      operation: z.string(),
      rows: z.string(),
      key: z.string(),
      empty: z.string(),
      columns: z.array(z.object({ field: z.string(), title: z.string(), format })),
    }),
  ),
  actions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      operation: z.string(),
      on: z.enum(['block', 'row']),
      table: z.string().optional(),
      fill: z.record(z.string(), z.string()).optional(),
      confirm: z.string().optional(),
    }),
  ),
  downloads: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      operation: z.string(),
      at: z.string(),
      says: z.string(),
      name: z.string(),
    }),
  ),
  signals: z.array(z.object({ id: z.string(), title: z.string(), operation: z.string(), at: z.string(), format })),
  settings: z.object({ read: z.string(), write: z.string(), values: z.string() }).nullable(),
})
export type ServedBlock = z.infer<typeof servedBlockSchema>

export const ui = defineBlock({
  id: 'ui',
  title: 'Interface',
  about: 'The schema from which the cockpit draws what no view was written for.',
  surface: 'none',
  operations: {
    schema: query({
      path: '/schema',
      title: 'Read the interface schema, as far as the caller may use it',
      input: z.strictObject({}),
      output: z.object({ version: z.string(), blocks: z.array(servedBlockSchema) }),
    }),
  },
})
