import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'
import { capabilitySchema } from '../wire/index.ts'

export const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  capability: capabilitySchema,
  /** What happens when the model calls it, unless a rule says otherwise. */
  policy: z.enum(['allow', 'ask', 'deny', 'blocked']),
  /** Which of the renderer's kinds shows its results. */
  renders: z.string(),
  input: z.record(z.string(), z.unknown()),
})
export type ToolEntry = z.infer<typeof toolSchema>

export const tool = defineBlock({
  id: 'tool',
  title: 'Tools',
  about: 'What the model can ask for: one registry, and for each tool what it may do.',
  operations: {
    list: query({
      path: '/list',
      title: 'List tools',
      input: z.strictObject({}),
      output: z.object({ tools: z.array(toolSchema) }),
    }),
  },
  tables: [
    {
      id: 'tools',
      title: 'Tools',
      operation: 'list',
      rows: 'tools',
      key: 'name',
      empty: 'No tool is registered.',
      columns: [
        { field: 'name', title: 'Name', format: 'mono' },
        { field: 'capability', title: 'Capability', format: 'state' },
        { field: 'policy', title: 'Policy', format: 'state' },
        { field: 'description', title: 'What it does', format: 'text' },
      ],
    },
  ],
})
