import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { beatSchema, nextOutput, numberMark, pageInput } from '../wire/index.ts'

export const timeline = defineBlock({
  id: 'timeline',
  title: 'Timeline',
  about: 'The ledger: everything that happened, in order, each entry chained to the one before.',
  surface: 'view',
  operations: {
    list: query({
      path: '/list',
      title: 'List beats, oldest first',
      input: z.strictObject({
        runId: z.string().min(1).max(64).optional(),
        chatId: z.string().min(1).max(64).optional(),
        ...pageInput(numberMark),
      }),
      output: z.object({ beats: z.array(beatSchema), next: nextOutput }),
    }),
    verify: command({
      path: '/verify',
      title: 'Verify the chain from the first entry',
      effect: 'write',
      rate: 'costly',
      input: z.strictObject({}),
      output: z.object({
        valid: z.boolean(),
        entries: z.number().int(),
        /** Hash of the newest entry: note it down to see a later rewrite. */
        head: z.string().nullable(),
        broken: z.object({ seq: z.number().int(), problem: z.string() }).nullable(),
        ms: z.number(),
      }),
    }),
  },
  actions: [{ id: 'verify', title: 'Verify the chain', operation: 'verify', on: 'block' }],
})
