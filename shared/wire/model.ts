/** What goes to a model and what comes back, in the product's own words, free of any vendor. */
import { z } from 'zod'
import type { Refusal } from '../refusals/index.ts'
import type { FileLines } from './origin.ts'

export const usageSchema = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
})
export type Usage = z.infer<typeof usageSchema>

/** A call as the model made it. `arguments` is the raw JSON text, possibly invalid. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Fields that the vendor added and wants to see again, as they came. Bounded. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** What a vendor added to an answer. It goes back to whom it came from and to nobody else. */
export interface VendorFields {
  /** The name that reasoning came under; null when there was none. */
  readonly field: string | null
  readonly extra: Readonly<Record<string, unknown>> | null
}

/** What an answer leaves to be sent again. It goes to the endpoint and the model it came from, and to nobody else. */
export const thoughtSchema = z.object({
  endpoint: z.string(),
  modelId: z.string(),
  /** The name that reasoning came under; null when there was none. */
  field: z.string().nullable(),
  /** Empty where none came or what came is too long to be kept. */
  reasoning: z.string(),
  /** Fields that the vendor added to the answer, as they came. */
  extra: z.record(z.string(), z.unknown()).nullable(),
})
export type Thought = z.infer<typeof thoughtSchema>

export type ModelMessage =
  | ({ readonly role: 'system'; readonly text: string } & Placed)
  | ({ readonly role: 'user'; readonly text: string } & Placed)
  | ({
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ModelCall[]
      /** Present where it goes back; without it no field of a vendor does, those of its calls included. */
      readonly thought?: Thought | undefined
    } & Placed)
  | ({ readonly role: 'tool'; readonly callId: string; readonly text: string } & Placed)

/** What is known of a message and never sent. */
interface Placed {
  /** Where it stands in the ledger: the first entry it is made of; absent for what stands in none. */
  readonly seq?: number | undefined
  /** The files whose lines its text holds. Who replaces the text by another drops them. */
  readonly files?: readonly FileLines[] | undefined
  /** The same for instruction files, which may be quoted behind a text of another origin. */
  readonly instructions?: readonly FileLines[] | undefined
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  readonly runId: string
  /** Which request of the run this is, from 1. */
  readonly step: number
  readonly modelId: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSchema[]
  /** What estimates of tokens are multiplied with, as this endpoint and model reported before; 1 unless given. */
  readonly correction?: number
  /** What is asked for when it is not an answer to the person. */
  readonly purpose?: 'summary' | 'title'
  /** The longest answer wanted, in tokens. Absent leaves it to the endpoint. */
  readonly maxOutputTokens?: number
}

/** What left the machine for one request. */
export const egressSchema = z.object({
  endpoint: z.string(),
  modelId: z.string(),
  bytes: z.number().int(),
  /** SHA-256 of the body as sent. */
  digest: z.string(),
  messages: z.number().int(),
  tools: z.number().int(),
  /** How many values of each kind were replaced. */
  redactions: z.record(z.string(), z.number().int()),
  /** How many texts each rule of the person kept here. Absent in older entries. */
  withheld: z.record(z.string(), z.number().int()).optional(),
  /** Fields of vendors that stayed here, because they would have had to be changed. Absent in older entries. */
  vendorLeftOut: z.number().int().optional(),
  /** True when no request was made and the words are recorded ones. */
  fixture: z.boolean(),
})
export type Egress = z.infer<typeof egressSchema>

/**
 * One event of a model's stream.
 *
 * Contract: `sent` comes first unless the request was refused before it left; each `call_start` has
 * its `call_end` unless the stream failed; exactly one of `end`, `failed`, `cancelled` comes last.
 * `waiting` may come in any silence that lasts; `until` is in milliseconds since 1970.
 * The stream never rejects.
 */
export type ModelEvent =
  | { readonly type: 'sent'; readonly egress: Egress }
  | { readonly type: 'waiting'; readonly for: 'connection' | 'answer' | 'words' | 'person'; readonly until: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call_start'; readonly callId: string; readonly name: string }
  | { readonly type: 'call_end'; readonly call: ModelCall }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly finish: Finish; readonly vendor?: VendorFields }
  | { readonly type: 'failed'; readonly refusal: Refusal }
  | { readonly type: 'cancelled' }

/** Why the model stopped. `length` means cut by the output limit: its last call may be partial. */
export const finishSchema = z.enum(['stop', 'calls', 'length', 'filter'])
export type Finish = z.infer<typeof finishSchema>
