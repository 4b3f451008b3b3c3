import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import {
  departureSchema,
  egressPartSchema,
  egressRuleSchema,
  heldRequestSchema,
  holdAnswerSchema,
  idOf,
  nextOutput,
  numberMark,
  pageInput,
  runSchema,
} from '../wire/index.ts'

const runId = z.string().min(1).max(64)
const projectId = z.string().min(1).max(64)
const holdId = z.string().min(1).max(64)
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hex')

/** The ids of what a person holds. */
const heldPlacesSchema = z.object({ projects: z.array(z.string()), chats: z.array(z.string()) })

const question = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('text'), text: z.string().min(1).max(4000) }),
  z.strictObject({ by: z.literal('path'), path: z.string().min(1).max(4096) }),
  z.strictObject({ by: z.literal('digest'), digest }),
])

export const keptRuleSchema = z.object({
  id: idOf('rule'),
  projectId: idOf('project').nullable(),
  rule: egressRuleSchema,
  /** The rule in a few words. */
  title: z.string(),
  createdAt: z.number().int(),
})
export type KeptRule = z.infer<typeof keptRuleSchema>

export const sentHitSchema = z.object({
  departure: departureSchema,
  /** By their places in the request. */
  parts: z.array(egressPartSchema.extend({ place: z.number().int() })),
})
export type SentHit = z.infer<typeof sentHitSchema>

export const egress = defineBlock({
  id: 'egress',
  title: 'Sent',
  about: 'What left this machine for a model, request by request, and what never may.',
  surface: 'view',
  operations: {
    list: query({
      path: '/list',
      title: 'List what a run sent',
      access: 'owner',
      input: z.strictObject({ runId }),
      output: z.object({ requests: z.array(departureSchema) }),
      refusals: ['thing_unknown'],
    }),
    recent: query({
      path: '/recent',
      title: 'List what was sent, in one project or in all, the newest first',
      input: z.strictObject({ projectId: projectId.optional(), ...pageInput(numberMark) }),
      output: z.object({ requests: z.array(departureSchema), next: nextOutput }),
      refusals: ['thing_unknown'],
    }),
    parts: query({
      path: '/parts',
      title: 'Read what one request was made of',
      access: 'owner',
      input: z.strictObject({ runId, departureId: z.string().min(1).max(64) }),
      output: z.object({ parts: z.array(egressPartSchema) }),
      refusals: ['thing_unknown'],
    }),
    export: query({
      path: '/export',
      title: 'Write what a run sent as lines of JSON, without its texts',
      access: 'owner',
      input: z.strictObject({ runId }),
      output: z.object({ lines: z.string(), requests: z.number().int() }),
      refusals: ['thing_unknown'],
    }),
    find: command({
      path: '/find',
      title: 'Find whether something was ever sent',
      effect: 'write',
      rate: 'costly',
      input: z.strictObject({ question, before: z.number().int().min(0).optional() }),
      output: z.object({
        hits: z.array(sentHitSchema),
        looked: z.object({ texts: z.number().int(), bytes: z.number().int(), requests: z.number().int() }),
        more: z.boolean(),
        /** Where to look on; null when everything was looked at. */
        next: z.number().int().nullable(),
      }),
    }),
    rules: query({
      path: '/rules',
      title: 'List what must never be sent',
      input: z.strictObject({}),
      output: z.object({ rules: z.array(keptRuleSchema) }),
    }),
    addRule: command({
      path: '/addRule',
      title: 'Keep something from every model',
      input: z.strictObject({ projectId: projectId.optional(), rule: egressRuleSchema }),
      output: z.object({ rule: keptRuleSchema }),
      refusals: ['thing_unknown', 'pattern_invalid', 'egress_rules_full'],
    }),
    removeRule: command({
      path: '/removeRule',
      title: 'Let it be sent again',
      access: 'owner',
      input: z.strictObject({ ruleId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    holds: query({
      path: '/holds',
      title: 'List the projects and chats in which requests wait until they were looked at',
      input: z.strictObject({}),
      output: heldPlacesSchema,
    }),
    holdProject: command({
      path: '/holdProject',
      title: 'Let requests of a project wait until they were looked at, or go',
      input: z.strictObject({ projectId, held: z.boolean() }),
      output: heldPlacesSchema,
      refusals: ['thing_unknown'],
    }),
    holdChat: command({
      path: '/holdChat',
      title: 'Let requests of a chat wait until they were looked at, or go',
      access: 'owner',
      input: z.strictObject({ chatId: z.string().min(1).max(64), held: z.boolean() }),
      output: heldPlacesSchema,
      refusals: ['thing_unknown'],
    }),
    held: query({
      path: '/held',
      title: 'List the requests of a run that wait for an answer',
      access: 'owner',
      input: z.strictObject({ runId }),
      output: z.object({ held: z.array(heldRequestSchema) }),
      refusals: ['thing_unknown'],
    }),
    preview: query({
      path: '/preview',
      title: 'Read what a request that waits would send',
      access: 'owner',
      input: z.strictObject({ runId, holdId }),
      output: z.object({ held: heldRequestSchema, parts: z.array(egressPartSchema), body: z.string() }),
      refusals: ['thing_unknown', 'hold_over'],
    }),
    answer: command({
      path: '/answer',
      title: 'Send a request that waits, or stop its run',
      access: 'owner',
      effect: 'spend',
      input: z.strictObject({
        runId,
        holdId,
        /** SHA-256 of the body that was shown: no other is sent by this answer. */
        digest: z.string().length(64),
        answer: holdAnswerSchema,
      }),
      output: z.object({ run: runSchema }),
      refusals: ['thing_unknown', 'hold_over', 'run_already_ended'],
    }),
    tryRule: command({
      path: '/tryRule',
      title: 'Say which files of a project a rule would keep back, and what of a text',
      effect: 'write',
      rate: 'costly',
      input: z.strictObject({ projectId, rule: egressRuleSchema, text: z.string().max(20_000).optional() }),
      output: z.object({
        files: z.array(z.string()),
        total: z.number().int(),
        complete: z.boolean(),
        /** The text as a command's output would leave; null when none was given. */
        text: z.string().nullable(),
      }),
      refusals: ['thing_unknown', 'pattern_invalid'],
    }),
  },
})
