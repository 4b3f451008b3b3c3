import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { compactionSchema, contextMeterSchema, idOf, itemPlaceSchema, runSchema, usageSchema } from '../wire/index.ts'

const chatId = z.string().min(1).max(64)

export const chatContextSchema = z.object({
  goal: z.string().nullable(),
  /** Of the newest request of the chat; null before the first one. */
  meter: contextMeterSchema.nullable(),
  /** What the endpoint reported about it, cached tokens among them. */
  usage: usageSchema.nullable(),
  /** Whose model the newest run asked; null before the first one. */
  model: z.object({ providerId: z.string(), modelId: z.string() }).nullable(),
  window: z.object({ tokens: z.number().int().nullable(), from: z.enum(['person', 'profile', 'nobody']) }),
  /** The entry after which the model reads word for word; 0 for all of it. */
  boundary: z.number().int(),
  /** Newest first. */
  compactions: z.array(compactionSchema.omit({ summary: true }).extend({ id: idOf('beat'), at: z.number().int() })),
  quarantined: z.array(itemPlaceSchema.extend({ label: z.string() })),
  projectInstructions: z.enum(['read', 'left_out']),
})
export type ChatContext = z.infer<typeof chatContextSchema>

const changed = z.object({ context: chatContextSchema })

export const context = defineBlock({
  id: 'context',
  title: 'Context',
  about: 'What a model reads of a chat: how full its window is, the summary, the goal, and what is left out.',
  surface: 'view',
  operations: {
    get: query({
      path: '/:chatId',
      title: 'Read what a model reads of a chat',
      access: 'owner',
      input: z.strictObject({ chatId }),
      output: changed,
      refusals: ['thing_unknown'],
    }),
    compact: command({
      path: '/:chatId/compact',
      title: 'Summarise the earlier turns of a chat, as a run',
      access: 'owner',
      effect: 'spend',
      rate: 'costly',
      status: 202,
      idempotency: 'key',
      input: z.strictObject({ chatId }),
      output: z.object({ run: runSchema }),
      refusals: [
        'thing_unknown',
        'compaction_pointless',
        'provider_not_configured',
        'model_not_chosen',
        'model_not_configured',
        'provider_key_missing',
        'project_missing',
        'project_unshared',
        'chat_busy',
        'run_too_many',
        'capability_denied',
        'storage_full',
      ],
    }),
    move: command({
      path: '/:chatId/move',
      title: 'Move the point after which a model reads word for word',
      access: 'owner',
      input: z.strictObject({ chatId, upTo: z.number().int().nonnegative() }),
      output: changed,
      refusals: ['thing_unknown'],
    }),
    pin: command({
      path: '/:chatId/pin',
      title: 'Pin the goal of a chat, or take it off',
      access: 'owner',
      input: z.strictObject({ chatId, goal: z.string().trim().min(1).max(2_000).nullable() }),
      output: changed,
      refusals: ['thing_unknown'],
    }),
    restore: command({
      path: '/:chatId/restore',
      title: 'Send a message again that was left out',
      access: 'owner',
      input: z.strictObject({ chatId, ...itemPlaceSchema.shape }),
      output: changed,
      refusals: ['thing_unknown'],
    }),
    setWindow: command({
      path: '/window',
      title: 'Set what a model takes, in tokens, or leave it to its profile',
      input: z.strictObject({
        providerId: z.string().min(1).max(64),
        modelId: z.string().min(1).max(200),
        tokens: z.number().int().min(1_000).max(100_000_000).nullable(),
      }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    setInstructions: command({
      path: '/instructions',
      title: 'Send the instruction files of a project, or leave them out',
      input: z.strictObject({ projectId: z.string().min(1).max(64), projectInstructions: z.enum(['read', 'left_out']) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
})
