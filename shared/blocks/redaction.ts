import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf } from '../wire/index.ts'

/** What is replaced: a text as it is, or a pattern with a fixed beginning and bounded repetitions. */
const ownRule = {
  kind: z.enum(['text', 'pattern']),
  value: z.string().min(1).max(200),
}

export const ownRedactionSchema = z.object({
  id: idOf('redaction'),
  name: z.string(),
  ...ownRule,
  createdAt: z.number().int(),
})
export type OwnRedaction = z.infer<typeof ownRedactionSchema>

export const redaction = defineBlock({
  id: 'redaction',
  title: 'Own redactions',
  about:
    'Words and patterns of the person that are replaced in whatever leaves for a model, besides the known shapes of secrets.',
  surface: 'view',
  operations: {
    list: query({
      path: '/list',
      title: 'List own words and patterns',
      input: z.strictObject({}),
      output: z.object({ redactions: z.array(ownRedactionSchema) }),
    }),
    create: command({
      path: '/create',
      title: 'Replace a word or a pattern from the next run on',
      input: z.strictObject({ name: z.string().trim().min(1).max(60), ...ownRule }),
      output: z.object({ redaction: ownRedactionSchema }),
      refusals: ['redaction_invalid', 'redactions_full'],
    }),
    remove: command({
      path: '/remove',
      title: 'Let it leave again',
      access: 'owner',
      input: z.strictObject({ redactionId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    try: command({
      path: '/try',
      title: 'Say what would be replaced in a text',
      effect: 'write',
      rate: 'costly',
      input: z.strictObject({
        text: z.string().min(1).max(20_000),
        /** One that is not added yet, tried beside those that are. */
        rule: z.strictObject(ownRule).optional(),
      }),
      output: z.object({
        text: z.string(),
        /** How many values of each kind were replaced. */
        counts: z.record(z.string(), z.number().int()),
      }),
      refusals: ['redaction_invalid', 'redaction_failed'],
    }),
  },
})
