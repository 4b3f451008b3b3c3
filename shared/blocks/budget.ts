import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'

const money = (title: string) =>
  z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ title: `${title}: US dollars` })
const count = (title: string, what: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(1e12)
    .nullable()
    .meta({ title: `${title}: ${what}` })
const minutes = (title: string) =>
  z
    .number()
    .min(0)
    .max(10_000_000)
    .nullable()
    .meta({ title: `${title}: minutes` })

/** Highest sums; null for none. Tokens are those sent and those that came. */
const ceilings = {
  runMoney: money('A run'),
  runTokens: count('A run', 'tokens'),
  runCalls: count('A run', 'model calls'),
  runMinutes: minutes('A run'),
  chatMoney: money('A chat'),
  chatTokens: count('A chat', 'tokens'),
  chatCalls: count('A chat', 'model calls'),
  chatMinutes: minutes('A chat'),
  projectMoney: money('A project'),
  projectTokens: count('A project', 'tokens'),
  projectCalls: count('A project', 'model calls'),
  projectMinutes: minutes('A project'),
  dayMoney: money('A day'),
  dayTokens: count('A day', 'tokens'),
  dayCalls: count('A day', 'model calls'),
  dayMinutes: minutes('A day'),
}

const perMillion = z.number().min(0).max(100_000)
const service = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9._-]{0,39}$/)
  .describe('As the provider names it, such as openai or ollama.')
const pattern = z.string().trim().min(1).max(200).describe('A model id; * stands for anything.')

const spentSchema = z.object({
  key: z.string(),
  name: z.string(),
  /** `$0.12`, with what is not known beside it. */
  cost: z.string(),
  calls: z.number().int(),
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  ms: z.number().int(),
})

/** One ceiling that counts for a chat, as a person reads it. */
const nearbySchema = z.object({
  scope: z.enum(['run', 'chat', 'project', 'day']),
  /** `$0.12 of $2.00 for the chat`. */
  words: z.string(),
  /** `near`: four fifths of it and more are used. */
  state: z.enum(['room', 'near', 'reached']),
})

export const chatSpendSchema = z.object({
  /** `$0.12`, with what is not known beside it. */
  cost: z.string(),
  /** Whether anything is in `cost` whose price is not known. */
  unpriced: z.boolean(),
  calls: z.number().int(),
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Requests whose tokens were guessed. */
  estimated: z.number().int(),
  /** Those that were chosen, the narrowest first. */
  ceilings: z.array(nearbySchema),
})
export type ChatSpend = z.infer<typeof chatSpendSchema>

const spentColumns = [
  { field: 'cost', title: 'Cost', format: 'text' },
  { field: 'calls', title: 'Model calls', format: 'number' },
  { field: 'inputTokens', title: 'Tokens in', format: 'number' },
  { field: 'cachedTokens', title: 'of them cached', format: 'number' },
  { field: 'outputTokens', title: 'Tokens out', format: 'number' },
  { field: 'ms', title: 'Time', format: 'duration' },
] as const

export const budget = defineBlock({
  id: 'budget',
  title: 'Budget',
  about: 'What requests to models cost, and how much may be spent. Each request is held against every ceiling before it is sent.',
  surface: 'generic',
  operations: {
    get: query({
      path: '',
      title: 'Read your ceilings, and what was spent today',
      input: z.strictObject({}),
      output: z.object({
        ceilings: z.object(ceilings),
        /** `$0.12 of $50.00`. */
        today: z.string(),
        /** What an administrator allows at most, as a person reads it. */
        most: z.string(),
      }),
    }),
    setCeilings: command({
      path: '/setCeilings',
      title: 'Choose your ceilings',
      input: z.strictObject(ceilings),
      output: z.object({}),
      refusals: ['budget_bound'],
    }),
    setBounds: command({
      path: '/setBounds',
      title: 'Choose what anybody may spend at most',
      access: 'admin',
      input: z.strictObject(ceilings),
      output: z.object({}),
    }),
    spend: query({
      path: '/spend',
      title: 'Read what was spent in the last 90 days, by day, project and model',
      input: z.strictObject({}),
      output: z.object({ days: z.array(spentSchema), projects: z.array(spentSchema), models: z.array(spentSchema) }),
    }),
    chat: query({
      path: '/chat/:chatId',
      title: 'Read what a chat came to, and how near its ceilings are',
      access: 'owner',
      input: z.strictObject({ chatId: z.string().min(1).max(64) }),
      output: z.object({ spend: chatSpendSchema }),
      refusals: ['thing_unknown'],
    }),
    export: query({
      path: '/export',
      title: 'Write what was spent as a table, by day, chat, project and model',
      rate: 'costly',
      input: z.strictObject({}),
      output: z.object({
        /** Comma separated, with a line of titles. */
        csv: z.string(),
        /** How many lines, and whether older ones are left out. */
        said: z.string(),
      }),
    }),
    prices: query({
      path: '/prices',
      title: 'List prices, your own first',
      input: z.strictObject({}),
      output: z.object({
        /** The day on which the listed ones were looked up. */
        checkedOn: z.string(),
        prices: z.array(
          z.object({
            id: z.string(),
            kind: z.string(),
            model: z.string(),
            input: z.number(),
            cached: z.number().nullable(),
            output: z.number(),
            source: z.string(),
          }),
        ),
      }),
    }),
    setPrice: command({
      path: '/setPrice',
      title: 'Give a price',
      input: z.strictObject({
        kind: service,
        model: pattern,
        input: perMillion.describe('US dollars for a million tokens; 0 for a model that costs nothing.'),
        cached: perMillion.nullable().describe('The same for tokens from the cache; empty when it is not known.'),
        output: perMillion,
      }),
      output: z.object({}),
      refusals: ['prices_full'],
    }),
    removePrice: command({
      path: '/removePrice',
      title: 'Remove a price of your own',
      input: z.strictObject({ kind: service, model: pattern }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'days',
      title: 'By day',
      operation: 'spend',
      rows: 'days',
      key: 'key',
      empty: 'Nothing was spent in the last 90 days.',
      columns: [{ field: 'name', title: 'Day', format: 'mono' }, ...spentColumns],
    },
    {
      id: 'projects',
      title: 'By project',
      operation: 'spend',
      rows: 'projects',
      key: 'key',
      empty: 'Nothing was spent in the last 90 days.',
      columns: [{ field: 'name', title: 'Project', format: 'text' }, ...spentColumns],
    },
    {
      id: 'models',
      title: 'By model',
      operation: 'spend',
      rows: 'models',
      key: 'key',
      empty: 'Nothing was spent in the last 90 days.',
      columns: [{ field: 'name', title: 'Model', format: 'mono' }, ...spentColumns],
    },
    {
      id: 'prices',
      title: 'Prices, in US dollars for a million tokens',
      operation: 'prices',
      rows: 'prices',
      key: 'id',
      empty: 'No price is known.',
      columns: [
        { field: 'kind', title: 'Service', format: 'mono' },
        { field: 'model', title: 'Model', format: 'mono' },
        { field: 'input', title: 'In', format: 'text' },
        { field: 'cached', title: 'Cached', format: 'text' },
        { field: 'output', title: 'Out', format: 'text' },
        { field: 'source', title: 'From', format: 'text' },
      ],
    },
  ],
  signals: [
    { id: 'today', title: 'Today', operation: 'get', at: 'today', format: 'text' },
    { id: 'most', title: 'Allowed at most', operation: 'get', at: 'most', format: 'text' },
    { id: 'checked', title: 'Prices looked up on', operation: 'prices', at: 'checkedOn', format: 'mono' },
  ],
  downloads: [{ id: 'csv', title: 'Save as CSV', operation: 'export', at: 'csv', says: 'said', name: 'bridlewise-spend.csv' }],
  settings: { read: 'get', write: 'setCeilings', values: 'ceilings' },
  actions: [
    { id: 'setBounds', title: 'Limit everybody', operation: 'setBounds', on: 'block' },
    { id: 'setPrice', title: 'Give a price', operation: 'setPrice', on: 'block', table: 'prices' },
    {
      id: 'removePrice',
      title: 'Remove',
      operation: 'removePrice',
      on: 'row',
      table: 'prices',
      fill: { kind: 'kind', model: 'model' },
      confirm: 'Remove your price of {model}? A listed price counts again, if there is one.',
    },
  ],
})
