import { z } from 'zod'
import { command, defineBlock, query, stream } from '../define/index.ts'
import {
  idOf,
  modelChoiceSchema,
  probeBoundsSchema,
  probeFrameSchema,
  probeQuestionSchema,
  profileSchema,
} from '../wire/index.ts'

/** Which service an endpoint belongs to. `demo` plays recorded words; every other kind speaks the OpenAI protocol. */
const kind = z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,39}$/, 'a word such as "openai" or "ollama"')
const modelIds = z.array(z.string().trim().min(1).max(200)).max(500)
const providerId = z.string().min(1).max(64)
const modelId = z.string().trim().min(1).max(200)
const probeId = z.string().min(1).max(64)
/** `not_checked`: no key was given, nobody answered, or the endpoint has no list of models to ask for with it. */
const keyCheck = z.enum(['accepted', 'not_checked'])

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
      output: z.object({ provider: providerSchema, keyCheck }),
      refusals: ['provider_address_invalid', 'endpoint_unauthorized'],
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
      output: z.object({ provider: providerSchema, keyCheck }),
      refusals: ['thing_unknown', 'endpoint_unauthorized'],
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
        /** The probe that is under way; an account has one at a time. */
        probe: modelChoiceSchema.extend({ probeId: idOf('probe') }).nullable(),
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
        /** A stored provider: without a key of its own the request goes to its address with its key, whatever address is named. */
        providerId: providerId.optional(),
      }),
      output: z.object({ models: z.array(z.string()) }),
      refusals: [
        'thing_unknown',
        'provider_address_invalid',
        'endpoint_unreachable',
        'endpoint_untrusted',
        'proxy_invalid',
        'proxy_unreachable',
        'proxy_unauthorized',
        'proxy_refused',
        'endpoint_unauthorized',
        'endpoint_nonsense',
        'endpoint_redirected',
        'endpoint_stalled',
        'endpoint_failed',
        'endpoint_refused',
        'endpoint_rate_limited',
      ],
    }),
    profile: query({
      path: '/:providerId/profile',
      title: 'Read how a model is spoken to, and what a probe would cost',
      access: 'owner',
      input: z.strictObject({ providerId, modelId }),
      output: z.object({
        profile: profileSchema,
        /** What it rests on: the documentation of its kind, a probe, a file of somebody, or a refusal that corrected it. */
        source: z.enum(['documentation', 'probed', 'imported', 'corrected']),
        at: z.number().int().nullable(),
        probing: z.object({ bounds: probeBoundsSchema, questions: z.array(probeQuestionSchema) }),
      }),
      refusals: ['thing_unknown', 'model_not_configured'],
    }),
    importProfile: command({
      path: '/:providerId/importProfile',
      title: 'Take over how a model is spoken to',
      access: 'owner',
      input: z.strictObject({ providerId, modelId, profile: profileSchema }),
      output: z.object({}),
      refusals: ['thing_unknown', 'model_not_configured'],
    }),
    forgetProfile: command({
      path: '/:providerId/forgetProfile',
      title: 'Go back to what the documentation says of a model',
      access: 'owner',
      input: z.strictObject({ providerId, modelId }),
      output: z.object({}),
      refusals: ['thing_unknown', 'model_not_configured'],
    }),
    probe: command({
      path: '/:providerId/probe',
      title: 'Find out how a model is spoken to',
      access: 'owner',
      effect: 'spend',
      rate: 'costly',
      input: z.strictObject({ providerId, modelId }),
      output: z.object({ probeId: idOf('probe') }),
      refusals: ['thing_unknown', 'model_not_configured', 'provider_key_missing', 'probe_under_way'],
    }),
    probeStream: stream({
      path: '/probe/:probeId/stream',
      title: 'Watch a probe',
      access: 'owner',
      input: z.strictObject({ probeId }),
      frame: probeFrameSchema,
      refusals: ['thing_unknown'],
    }),
    cancelProbe: command({
      path: '/probe/:probeId/cancel',
      title: 'Cancel a probe',
      access: 'owner',
      input: z.strictObject({ probeId }),
      output: z.object({}),
      refusals: ['thing_unknown'],
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
