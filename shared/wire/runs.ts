/** Runs as both sides see them: status, outcome, and the record. */
import { z } from 'zod'
import type { RefusalCode } from '../refusals/index.ts'
import { refusalSchema } from '../refusals/schema.ts'
import { idOf } from './ids.ts'
import { usageSchema } from './model.ts'

export const runModeSchema = z.enum(['act', 'plan'])
export type RunMode = z.infer<typeof runModeSchema>

/** `queued` and `running` are active; the others are terminal and never change again. */
export const runStatusSchema = z.enum(['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted'])
export type RunStatus = z.infer<typeof runStatusSchema>

const tally = {
  steps: z.number().int(),
  calls: z.number().int(),
  filesChanged: z.array(z.string()),
  usage: usageSchema,
  ms: z.number(),
}

export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed'), ...tally }),
  z.object({ kind: z.literal('failed'), ...tally, refusal: refusalSchema }),
  z.object({ kind: z.literal('cancelled'), ...tally }),
  z.object({ kind: z.literal('interrupted'), ...tally, refusal: refusalSchema }),
])
export type Outcome = z.infer<typeof outcomeSchema>

const limits: ReadonlySet<RefusalCode> = new Set(['run_limit_reached', 'run_no_progress', 'budget_exceeded', 'price_unknown'])

/** Whether it ended in order, at a limit: with more room, or another word, it can go on. */
export function isPaused(outcome: Outcome | null): boolean {
  return outcome?.kind === 'failed' && limits.has(outcome.refusal.code)
}

export const modelChoiceSchema = z.strictObject({ providerId: z.string().min(1).max(64), modelId: z.string().min(1).max(200) })
export type ModelChoice = z.infer<typeof modelChoiceSchema>

/**
 * What a model is for. `small`: titles and summaries; where none is chosen, the main model does both.
 * `embedding` is kept and asked by nothing.
 */
export const modelRoleSchema = z.enum(['main', 'small', 'embedding'])
export type ModelRole = z.infer<typeof modelRoleSchema>

export const runSchema = z.object({
  id: idOf('run'),
  chatId: idOf('chat'),
  projectId: idOf('project').nullable(),
  status: runStatusSchema,
  mode: runModeSchema,
  model: z.object({ providerId: z.string(), modelId: z.string(), label: z.string() }),
  fixture: z.boolean(),
  outcome: outcomeSchema.nullable(),
  createdAt: z.number().int(),
  startedAt: z.number().int().nullable(),
  endedAt: z.number().int().nullable(),
})
export type Run = z.infer<typeof runSchema>

/**
 * Words of a person that no run has yet. `steer` reaches the active run before its next request to the
 * model; `queue` is the next run of the chat, by itself once the run before it completed.
 */
export const waitingMessageSchema = z.object({
  id: idOf('message'),
  chatId: idOf('chat'),
  /** The run that was active when it was written. */
  runId: idOf('run'),
  delivery: z.enum(['steer', 'queue']),
  mode: runModeSchema,
  model: modelChoiceSchema.nullable(),
  text: z.string(),
  /** How the run before it ended, or that it could not start when its turn came; null while it goes on by itself. */
  held: z.enum(['cancelled', 'failed', 'interrupted', 'refused']).nullable(),
  createdAt: z.number().int(),
})
export type WaitingMessage = z.infer<typeof waitingMessageSchema>
