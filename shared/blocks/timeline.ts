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
      input: z.strictObject({
        /** A receipt of an earlier verification: the ledger must still hold the entry that it names. */
        head: z
          .string()
          .regex(/^[1-9]\d{0,14}:[0-9a-f]{64}$/, 'not a receipt: the number of an entry, a colon and its hash')
          .optional(),
      }),
      output: z.object({
        valid: z.boolean(),
        entries: z.number().int(),
        /** Hash of the newest entry. */
        head: z.string().nullable(),
        /** Names the newest entry: keep it elsewhere to see later that the ledger was cut off or written anew. */
        receipt: z.string().nullable(),
        broken: z.object({ seq: z.number().int(), problem: z.string() }).nullable(),
        ms: z.number(),
      }),
    }),
  },
  actions: [{ id: 'verify', title: 'Verify the chain', operation: 'verify', on: 'block' }],
})
