import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'
import { diagnosticsSchema } from '../wire/index.ts'

export const diagnostics = defineBlock({
  id: 'diagnostics',
  title: 'Diagnostics',
  about: 'What a server can say of itself to somebody who helps with it, without names, paths or content.',
  surface: 'view',
  operations: {
    gather: query({
      path: '',
      title: 'Gather diagnostics',
      access: 'admin',
      rate: 'costly',
      input: z.strictObject({}),
      output: z.object({ bundle: diagnosticsSchema }),
    }),
  },
})
