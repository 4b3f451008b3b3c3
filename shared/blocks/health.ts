import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'

export const health = defineBlock({
  id: 'health',
  title: 'Health',
  about: 'Whether the server answers, for scripts and for the cockpit before it signs in.',
  surface: 'none',
  operations: {
    get: query({
      path: '',
      title: 'Ask whether the server is up',
      access: 'public',
      input: z.strictObject({}),
      output: z.object({ status: z.literal('ok'), version: z.string() }),
    }),
  },
})
