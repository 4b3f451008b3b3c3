/** What one request to a model was made of, part by part, and what must not be part of any. */
import { z } from 'zod'
import { idOf } from './ids.ts'
import { egressSchema } from './model.ts'
import { fileLinesSchema } from './origin.ts'

export const egressPartKindSchema = z.enum(['instructions', 'user', 'model', 'call', 'result', 'tools', 'vendor', 'framing'])
export type EgressPartKind = z.infer<typeof egressPartKindSchema>

/** One text of a request as it left: redacted, and escaped as the body has it. */
export const egressPartSchema = z.object({
  /**
   * `vendor` is what a vendor added to an answer and wants to see again, such as reasoning; `framing` is what no text is:
   * names of fields, punctuation, settings.
   */
  kind: egressPartKindSchema,
  /** In the body as sent. The parts of a request add up to its bytes. */
  bytes: z.number().int().nonnegative(),
  /** SHA-256 of the text; null for framing. */
  digest: z.string().nullable(),
  /** Of a call and of a result. */
  tool: z.string().nullable(),
  callId: z.string().nullable(),
  /** Files whose lines it holds. */
  files: z.array(fileLinesSchema),
  /** How many values of each kind were replaced in it. Absent in older entries. */
  redactions: z.record(z.string(), z.number().int()).optional(),
})
export type EgressPart = z.infer<typeof egressPartSchema>

/** What a request was for: the person's task, or something around it. */
export const departurePurposeSchema = z.enum(['answer', 'summary', 'title', 'probe'])
export type DeparturePurpose = z.infer<typeof departurePurposeSchema>

/** One request that left, as a list shows it. */
export const departureSchema = z.object({
  id: idOf('departure'),
  /** Null for a probe, which belongs to no chat and holds fixed words of ours alone. */
  runId: idOf('run').nullable(),
  chatId: idOf('chat').nullable(),
  step: z.number().int(),
  at: z.number().int(),
  egress: egressSchema,
  purpose: departurePurposeSchema,
  /** How many parts it had. */
  parts: z.number().int(),
})
export type Departure = z.infer<typeof departureSchema>

/** What a person answers about a request that waits for them. */
export const holdAnswerSchema = z.enum(['send', 'stop'])
export type HoldAnswer = z.infer<typeof holdAnswerSchema>

/** A request that waits until the person has looked: nothing of it has left. */
export const heldRequestSchema = z.object({
  id: idOf('hold'),
  runId: idOf('run'),
  chatId: idOf('chat'),
  step: z.number().int(),
  at: z.number().int(),
  /** When it is given up, in milliseconds since 1970. */
  until: z.number().int(),
  purpose: departurePurposeSchema,
  /** What would be on record of it. */
  egress: egressSchema,
})
export type HeldRequest = z.infer<typeof heldRequestSchema>

export const withheldClassSchema = z.enum(['environment', 'keys', 'locks', 'databases'])
export type WithheldClass = z.infer<typeof withheldClassSchema>

/** What must never be sent: files by a pattern as in `.gitignore`, files of a class, or whatever a tool answers. */
export const egressRuleSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('path'), pattern: z.string().min(1).max(400) }),
  z.strictObject({ kind: z.literal('class'), name: withheldClassSchema }),
  z.strictObject({ kind: z.literal('tool'), tool: z.string().min(1).max(80) }),
])
export type EgressRule = z.infer<typeof egressRuleSchema>

/** A rule in a few words, the same on screen, in a refusal and in what stands in place of what it keeps. */
export function describeEgressRule(rule: EgressRule): string {
  switch (rule.kind) {
    case 'path':
      return rule.pattern
    case 'class':
      return withheldClassTitles[rule.name]
    case 'tool':
      return `answers of ${rule.tool}`
  }
}

export const withheldClassTitles: Readonly<Record<WithheldClass, string>> = {
  environment: 'environment files',
  keys: 'key files',
  locks: 'lock files',
  databases: 'databases',
}
