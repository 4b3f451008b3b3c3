/** Beats: the entries of the timeline ledger. What happened, where it came from, what it rests on. */
import { z } from 'zod'
import { refusalSchema } from '../refusals/schema.ts'
import { chargeSchema } from './charge.ts'
import { childScopeSchema } from './child.ts'
import { compactionSchema, contextMeterSchema, itemPlaceSchema } from './context.ts'
import { detailsSchema, fileDiffSchema } from './details.ts'
import { idOf } from './ids.ts'
import { egressSchema, finishSchema, thoughtSchema, usageSchema } from './model.ts'
import { outcomeSchema, runModeSchema } from './runs.ts'

export const capabilitySchema = z.enum(['read', 'write', 'execute'])
export type Capability = z.infer<typeof capabilitySchema>

/** How a call ended. Only `done` means that the tool ran to its end. */
export const callStatusSchema = z.enum(['done', 'refused', 'denied', 'not_started', 'killed', 'timed_out', 'failed'])
export type CallStatus = z.infer<typeof callStatusSchema>

/** The words of one row: verb, object, result. */
export const headlineSchema = z.object({ verb: z.string(), object: z.string() })
export type Headline = z.infer<typeof headlineSchema>

/** `earlier`: nothing in this turn, but an earlier one may have done it. `not_rechecked`: it held, and files changed since. */
export const claimVerdictSchema = z.enum(['supported', 'earlier', 'not_rechecked', 'unsupported', 'contradicted'])
export type ClaimVerdict = z.infer<typeof claimVerdictSchema>

/** Ways of telling of work that did not happen. */
export const fabricationShapeSchema = z.enum([
  'claim_without_tool',
  'citation_unregistered_tool',
  'citation_uncalled_tool',
  'summary_without_action',
])
export type FabricationShape = z.infer<typeof fabricationShapeSchema>

/** How far the tree was held against what it was: the files looked at, whether these were all, and changes not told one by one. */
export const watchedSchema = z.object({ files: z.number().int(), complete: z.boolean(), more: z.number().int() })
export type Watched = z.infer<typeof watchedSchema>

export const rewindModeSchema = z.enum(['conversation', 'files', 'both'])
export type RewindMode = z.infer<typeof rewindModeSchema>

const payloads = {
  /** The run began: who answers, in which mode, where. */
  run_started: z.object({
    model: z.object({ providerId: z.string(), modelId: z.string(), label: z.string() }),
    mode: runModeSchema,
    /** The run that this one continues; its ending is what this beat derives from. */
    continues: idOf('run').optional(),
    fixture: z.boolean(),
    project: z.object({ id: z.string(), name: z.string(), root: z.string() }).nullable(),
    grant: z.object({ basis: z.string(), digest: z.string() }),
    /** Absent for a run that answers the person. `compact`: it only summarises. */
    task: z.literal('compact').optional(),
  }),
  message: z.object({ messageId: idOf('message'), role: z.enum(['user', 'assistant']), text: z.string() }),
  /** Earlier turns were put into a summary. */
  compaction: compactionSchema,
  /** The person moved the point from which a model reads the chat: after this entry; 0 for all of it. */
  boundary: z.object({ upTo: z.number().int().nonnegative() }),
  /** The person pinned what the chat is for, or took it off. */
  goal: z.object({ text: z.string().nullable() }),
  /** Messages that the endpoint does not take: placeholders are sent for them. Several where they were sent as one message. */
  quarantine: z.object({
    items: z.array(itemPlaceSchema.extend({ label: z.string() })),
    /** What the endpoint said about the request that held them. */
    refusal: refusalSchema,
    /** The endpoint named it; or it is the largest, or the likeliest, of a request whose refusal named none. Absent in older entries. */
    found: z.enum(['named', 'largest', 'likely']).optional(),
  }),
  /** They are sent again, because the person wants it. */
  restored: z.object({ items: z.array(itemPlaceSchema) }),
  /** A request waited for the person; what they answered about its body, or that they did not in time. */
  held: z.object({
    step: z.number().int(),
    answer: z.enum(['send', 'stop', 'none']),
    endpoint: z.string(),
    bytes: z.number().int(),
    /** SHA-256 of the body that was shown. */
    digest: z.string(),
    ms: z.number(),
  }),
  /** A request left for the model: the egress manifest entry. */
  request: z.object({ step: z.number().int(), egress: egressSchema, context: contextMeterSchema.optional() }),
  response: z.object({
    step: z.number().int(),
    finish: finishSchema.nullable(),
    refusal: refusalSchema.nullable(),
    usage: usageSchema.nullable(),
    /** Milliseconds to the first event and to the last. */
    firstMs: z.number().nullable(),
    ms: z.number(),
    /** What it came to. Null or absent where nothing was sent or nobody counts. */
    charge: chargeSchema.nullable().optional(),
  }),
  /** What came with an answer beside its words: reasoning, and fields that its vendor wants to see again. Before those words. */
  thought: thoughtSchema.extend({
    step: z.number().int(),
    /** The same fields of its calls, by call. */
    calls: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
  /** A call was admitted and is about to run. Written before the effect. */
  call: z.object({
    callId: idOf('call'),
    step: z.number().int(),
    tool: z.string(),
    capability: capabilitySchema,
    headline: headlineSchema,
    input: z.unknown(),
  }),
  /** A call was stopped before it ran. */
  blocked: z.object({
    callId: idOf('call'),
    step: z.number().int(),
    tool: z.string(),
    headline: headlineSchema,
    input: z.unknown(),
    refusal: refusalSchema,
  }),
  result: z.object({
    callId: idOf('call'),
    tool: z.string(),
    status: callStatusSchema,
    /** A few words for the row: `exit 1 · 2 failed`, `214 lines`, `+3 −1`. */
    summary: z.string(),
    /** What the model was given to read. */
    text: z.string(),
    details: detailsSchema,
    ms: z.number(),
    refusal: refusalSchema.nullable(),
    /** Where the whole output lies when `text` holds only a part. */
    spill: z.object({ ref: z.string(), bytes: z.number().int() }).nullable(),
  }),
  /** A call gave a task to a child, which is about to begin: what it may do and take. */
  child_started: z.object({ callId: idOf('call'), ...childScopeSchema.shape }),
  child_ended: z.object({ callId: idOf('call'), outcome: outcomeSchema }),
  /** A change outside the conversation that did happen. */
  effect: z.object({
    callId: idOf('call').nullable(),
    effect: z.enum(['file', 'process']),
    target: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    diff: fileDiffSchema.nullable(),
    /** Of a file, since version 1 of rewinds: `before` is also null where a changed file's earlier content is unknown. */
    change: fileDiffSchema.shape.change.optional(),
    /** Permission bits of the file that was there before. */
    mode: z.number().int().nullable().optional(),
    /** Of a process: how far its effects on files were looked for. Absent or null: not at all. */
    watched: watchedSchema.nullable().optional(),
  }),
  finding: z.object({
    severity: z.enum(['info', 'warning', 'error']),
    title: z.string(),
    text: z.string(),
    evidence: z.array(z.string()),
  }),
  /** What the model's answer claims, held against this turn's record. */
  claims: z.object({
    /** The message whose sentences these are. */
    messageId: idOf('message'),
    /** Sentences that claim something; offsets are UTF-16 units into the message. */
    claims: z.array(
      z.object({
        start: z.number().int(),
        end: z.number().int(),
        verdict: claimVerdictSchema,
        reason: z.string(),
        evidence: z.array(idOf('beat')),
      }),
    ),
    /** Files changed after the last green check of the turn: the check, and the changes. */
    recheck: z.object({ check: idOf('beat'), edits: z.array(idOf('beat')) }).nullable(),
    fabrication: z.object({ shape: fabricationShapeSchema, reason: z.string() }).nullable(),
    /** What the model was told because of it; null when it was not asked again. */
    nudge: z.string().nullable(),
  }),
  /** An effect was begun and the process died before its result: nobody knows whether it happened. */
  unknown: z.object({ callId: idOf('call'), tool: z.string(), headline: headlineSchema }),
  run_ended: z.object({ outcome: outcomeSchema }),
  /** What retention removed, counted: streams of ended runs, and whole results. */
  retention: z.object({
    streams: z.number().int(),
    results: z.number().int(),
    bytes: z.number().int(),
    /** Kept contents of changed files. */
    versions: z.number().int().optional(),
  }),
  /**
   * The person went back to before an entry of this chat. Nothing is removed: what is taken back stays
   * in the ledger and does not count any more.
   */
  rewind: z.object({
    rewindId: idOf('rewind'),
    mode: rewindModeSchema,
    /** Place of the entry that was gone back to: a run's first, or an earlier rewind. */
    to: z.number().int(),
    /** Whether the words from there on are taken back. */
    retracts: z.boolean(),
    /** Files written and removed, and those that stay because somebody else changed them or their content is unknown. */
    files: z.object({ restored: z.number().int(), removed: z.number().int(), kept: z.number().int() }),
  }),
  /** The chat begins with the past of another: its entries as they stood, as far as a model reads them. */
  forked: z.object({
    from: z.object({ chatId: idOf('chat'), beatId: idOf('beat') }),
    /** Beats, in their order. A long past is told in several of these. */
    past: z.array(z.record(z.string(), z.unknown())),
  }),
  grant: z.object({ basis: z.string(), digest: z.string(), acceptedBy: z.string(), text: z.string() }),
} as const

export type BeatKind = keyof typeof payloads
export type BeatPayload<K extends BeatKind> = z.infer<(typeof payloads)[K]>

export const beatSourceSchema = z.enum(['user', 'model', 'tool', 'gate', 'server', 'guardian'])
export type BeatSource = z.infer<typeof beatSourceSchema>

const common = {
  id: idOf('beat'),
  /** Place in the ledger, from 1, without gaps. */
  seq: z.number().int(),
  runId: idOf('run').nullable(),
  chatId: idOf('chat').nullable(),
  at: z.number().int(),
  source: beatSourceSchema,
  /** Ids of the beats it follows from. */
  derivation: z.array(idOf('beat')),
  /** The call whose child did it; absent for what the run did itself. */
  within: idOf('call').optional(),
}

const beatOf = <K extends BeatKind>(kind: K) => z.object({ ...common, kind: z.literal(kind), payload: payloads[kind] })

export const beatSchema = z.discriminatedUnion('kind', [
  beatOf('run_started'),
  beatOf('message'),
  beatOf('compaction'),
  beatOf('boundary'),
  beatOf('goal'),
  beatOf('quarantine'),
  beatOf('restored'),
  beatOf('held'),
  beatOf('request'),
  beatOf('response'),
  beatOf('thought'),
  beatOf('call'),
  beatOf('blocked'),
  beatOf('result'),
  beatOf('child_started'),
  beatOf('child_ended'),
  beatOf('effect'),
  beatOf('finding'),
  beatOf('claims'),
  beatOf('unknown'),
  beatOf('run_ended'),
  beatOf('retention'),
  beatOf('rewind'),
  beatOf('forked'),
  beatOf('grant'),
])
export type Beat = z.infer<typeof beatSchema>
export type BeatOf<K extends BeatKind> = Extract<Beat, { kind: K }>

/** A beat before the ledger has given it a place. */
export type BeatDraft = {
  [K in BeatKind]: {
    readonly kind: K
    readonly payload: BeatPayload<K>
    readonly source: BeatSource
    readonly derivation?: readonly string[]
    readonly within?: string
  }
}[BeatKind]
