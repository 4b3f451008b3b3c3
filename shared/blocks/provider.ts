import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf, modelChoiceSchema } from '../wire/index.ts'

/** Which service an endpoint belongs to. `demo` plays recorded words; every other kind speaks the OpenAI protocol. */
const kind = z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,39}$/, 'a word such as "openai" or "ollama"')
const modelIds = z.array(z.string().trim().min(1).max(200)).max(500)
const providerId = z.string().min(1).max(64)

export const providerSchema = z.object({
  id: idOf('provider'),
  name: z.string(),
  kind: z.string(),
  baseUrl: z.string(),
  models: z.array(z.string()),
  /** Whether a key is stored, and its last four characters; the key itself never leaves. */
  key: z.object({ stored: z.boolean(), tail: z.string().nullable() }),
  fixture: z.boolean(),
  createdAt: z.number().int(),
})
export type Provider = z.infer<typeof providerSchema>

export const presetSchema = z.object({
  kind: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  needsKey: z.boolean(),
  local: z.boolean(),
  /** Where to get a key, or how to start the local server. */
  hint: z.string(),
})
export type Preset = z.infer<typeof presetSchema>

export const provider = defineBlock({
  id: 'provider',
  title: 'Providers',
  about: 'Model endpoints of your choice, and the model that new chats use.',
  surface: 'view',
  operations: {
    create: command({
      path: '/create',
      title: 'Add a provider',
      status: 201,
      idempotency: 'key',
      input: z.strictObject({
        name: z.string().trim().min(1).max(80),
        kind,
        baseUrl: z.string().max(2000).default(''),
        apiKey: z.string().min(1).max(4096).optional(),
        models: modelIds,
      }),
      output: z.object({ provider: providerSchema }),
      refusals: ['provider_address_invalid'],
    }),
    update: command({
      path: '/:providerId/update',
      title: 'Change a provider',
      access: 'owner',
      input: z.strictObject({
        providerId,
        name: z.string().trim().min(1).max(80).optional(),
        models: modelIds.optional(),
        /** A new key; null removes the stored one. */
        apiKey: z.string().min(1).max(4096).nullable().optional(),
      }),
      output: z.object({ provider: providerSchema }),
      refusals: ['thing_unknown'],
    }),
    remove: command({
      path: '/:providerId/remove',
      title: 'Remove a provider and its key',
      access: 'owner',
      input: z.strictObject({ providerId }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    list: query({
      path: '/list',
      title: 'List providers and the chosen model',
      input: z.strictObject({}),
      output: z.object({
        providers: z.array(providerSchema),
        chosen: modelChoiceSchema.nullable(),
        /** Whether the server plays recorded words whatever is chosen (HARNESS_WEB_LLM_FIXTURES=1). */
        recordedOnly: z.boolean(),
      }),
    }),
    presets: query({
      path: '/presets',
      title: 'List well-known endpoints',
      input: z.strictObject({}),
      output: z.object({ presets: z.array(presetSchema) }),
    }),
    discover: command({
      path: '/discover',
      title: 'Look for model servers on this machine',
      rate: 'costly',
      input: z.strictObject({}),
      output: z.object({
        found: z.array(z.object({ kind: z.string(), name: z.string(), baseUrl: z.string(), models: z.array(z.string()) })),
        asked: z.array(z.object({ name: z.string(), baseUrl: z.string(), answer: z.string() })),
      }),
    }),
    listModels: command({
      path: '/models',
      title: 'Ask an endpoint for its models',
      rate: 'costly',
      input: z.strictObject({
        kind: kind.default('custom'),
        baseUrl: z.string().min(1).max(2000),
        apiKey: z.string().min(1).max(4096).optional(),
      }),
      output: z.object({ models: z.array(z.string()) }),
      refusals: [
        'provider_address_invalid',
        'endpoint_unreachable',
        'endpoint_unauthorized',
        'endpoint_nonsense',
        'endpoint_redirected',
        'endpoint_stalled',
        'endpoint_failed',
        'endpoint_refused',
        'endpoint_rate_limited',
      ],
    }),
    choose: command({
      path: '/choose',
      title: 'Choose the model for new chats',
      input: z.strictObject({ model: modelChoiceSchema }),
      output: z.object({ chosen: modelChoiceSchema }),
      refusals: ['provider_not_configured', 'model_not_configured'],
    }),
  },
  tables: [
    {
      id: 'providers',
      title: 'Providers',
      operation: 'list',
      rows: 'providers',
      key: 'id',
      empty: 'A provider is a model endpoint: a service with a key, a server on this machine, or the recorded demo.',
      columns: [
        { field: 'name', title: 'Name', format: 'text' },
        { field: 'baseUrl', title: 'Address', format: 'mono' },
        { field: 'models', title: 'Models', format: 'list' },
        { field: 'createdAt', title: 'Added', format: 'time' },
      ],
    },
  ],
  actions: [
    {
      id: 'remove',
      title: 'Remove',
      operation: 'remove',
      on: 'row',
      fill: { providerId: 'id' },
      confirm: 'Remove the provider {name} and its stored key? Chats keep what it answered.',
    },
  ],
})
