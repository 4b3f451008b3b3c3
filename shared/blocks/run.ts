import { z } from 'zod'
import { command, defineBlock, query, stream } from '../define/index.ts'
import { frameSchema, idOf, modelChoiceSchema, nextOutput, pageInput, runModeSchema, runSchema } from '../wire/index.ts'

const runId = z.string().min(1).max(64)

export const run = defineBlock({
  id: 'run',
  title: 'Runs',
  about: 'Executions. Starting one is the only way to make a model work; watching one changes nothing.',
  surface: 'view',
  operations: {
    start: command({
      path: '/start',
      title: 'Start a run',
      effect: 'spend',
      rate: 'costly',
      status: 202,
      idempotency: 'key',
      bodyLimit: 1024 * 1024,
      input: z.strictObject({
        prompt: z.string().trim().min(1).max(400_000),
        projectId: z.string().min(1).max(64).optional(),
        chatId: z.string().min(1).max(64).optional(),
        model: modelChoiceSchema.optional(),
        mode: runModeSchema.default('act'),
      }),
      output: z.object({ run: runSchema }),
      refusals: [
        'provider_not_configured',
        'model_not_chosen',
        'model_not_configured',
        'provider_key_missing',
        'thing_unknown',
        'project_missing',
        'project_unshared',
        'project_busy',
        'chat_busy',
        'run_too_many',
        'capability_denied',
        'storage_full',
      ],
    }),
    list: query({
      path: '/list',
      title: 'List runs, newest first',
      input: z.strictObject({ chatId: z.string().min(1).max(64).optional(), ...pageInput(idOf('run')) }),
      output: z.object({ runs: z.array(runSchema), next: nextOutput }),
    }),
    get: query({
      path: '/:runId',
      title: 'Read a run',
      access: 'owner',
      input: z.strictObject({ runId }),
      output: z.object({ run: runSchema }),
      refusals: ['thing_unknown'],
    }),
    stream: stream({
      path: '/:runId/stream',
      title: 'Watch a run, from the frame after Last-Event-ID',
      access: 'owner',
      input: z.strictObject({ runId }),
      frame: frameSchema,
      refusals: ['thing_unknown', 'content_removed', 'project_unshared', 'streams_too_many'],
    }),
    cancel: command({
      path: '/:runId/cancel',
      title: 'Stop a run',
      access: 'owner',
      input: z.strictObject({ runId }),
      output: z.object({ run: runSchema }),
      refusals: ['thing_unknown', 'run_already_ended'],
    }),
  },
  tables: [
    {
      id: 'runs',
      title: 'Runs',
      operation: 'list',
      rows: 'runs',
      key: 'id',
      empty: 'No run yet.',
      columns: [
        { field: 'id', title: 'Run', format: 'mono' },
        { field: 'status', title: 'Status', format: 'state' },
        { field: 'createdAt', title: 'Started', format: 'time' },
      ],
    },
  ],
})
