import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'

const limits = {
  mebibytes: z
    .number()
    .int()
    .min(1)
    .max(1_048_576)
    .describe(
      'Streams, whole results and contents of changed files together, in MiB. Above it the oldest go: results, then streams, then contents.',
    ),
  days: z.number().int().min(1).max(36_500).describe('What is older goes.'),
}
const kept = z.object({
  id: z.enum(['streams', 'results', 'versions']),
  title: z.string(),
  items: z.number().int(),
  bytes: z.number().int(),
  oldestAt: z.number().int().nullable(),
})

export const storage = defineBlock({
  id: 'storage',
  title: 'Storage',
  about: 'What is kept beside your words and the ledger, which stay until you delete them, and how much of it.',
  surface: 'view',
  operations: {
    get: query({
      path: '',
      title: 'Read what is kept, and its limits',
      input: z.strictObject({}),
      output: z.object({
        kept: z.array(kept),
        limits: z.object(limits),
        /** What an administrator allows at most, and the same as a person reads it. */
        most: z.object({ ...limits, text: z.string() }),
      }),
    }),
    setLimits: command({
      path: '/setLimits',
      title: 'Choose how much of your streams, whole results and contents of changed files is kept',
      input: z.strictObject(limits),
      output: z.object({}),
      refusals: ['retention_bound'],
    }),
    clean: command({
      path: '/clean',
      title: 'Remove now what is over your limits, and give erased room back to the disk',
      input: z.strictObject({}),
      output: z.object({
        removed: z.object({
          streams: z.number().int(),
          results: z.number().int(),
          versions: z.number().int(),
          bytes: z.number().int(),
        }),
      }),
      refusals: ['storage_full'],
    }),
    measureFile: query({
      path: '/file',
      title: 'Read the size of the database',
      access: 'admin',
      input: z.strictObject({}),
      output: z.object({ file: z.object({ bytes: z.number().int(), unusedBytes: z.number().int() }) }),
    }),
    setBounds: command({
      path: '/setBounds',
      title: 'Choose what anybody may keep at most',
      access: 'admin',
      input: z.strictObject({ mebibytes: limits.mebibytes, days: limits.days }),
      output: z.object({}),
    }),
  },
  tables: [
    {
      id: 'kept',
      title: 'Kept',
      operation: 'get',
      rows: 'kept',
      key: 'id',
      empty: 'Nothing is kept.',
      columns: [
        { field: 'title', title: 'What', format: 'text' },
        { field: 'items', title: 'How many', format: 'number' },
        { field: 'bytes', title: 'Size', format: 'bytes' },
        { field: 'oldestAt', title: 'Oldest', format: 'time' },
      ],
    },
  ],
  signals: [
    { id: 'most', title: 'Allowed at most', operation: 'get', at: 'most.text', format: 'text' },
    { id: 'file', title: 'Database', operation: 'measureFile', at: 'file.bytes', format: 'bytes' },
    { id: 'unused', title: 'Unused in it', operation: 'measureFile', at: 'file.unusedBytes', format: 'bytes' },
  ],
  settings: { read: 'get', write: 'setLimits', values: 'limits' },
  actions: [
    {
      id: 'clean',
      title: 'Clean now',
      operation: 'clean',
      on: 'block',
      confirm:
        'Remove what is over your limits now? It goes by itself after each run. Streams, whole results and contents of changed files that are removed cannot be brought back; your words and the ledger stay.',
    },
    { id: 'setBounds', title: 'Limit everybody', operation: 'setBounds', on: 'block' },
  ],
})
