/**
 * One callable of a block, declared without a handler.
 *
 * A path parameter (`/:runId`) names a field of the input; the other fields come from the query
 * string for queries and streams, and from the JSON body for commands.
 */
import type { ZodObject, ZodType } from 'zod'
import type { RefusalCode } from '../refusals/index.ts'

/** Who may call: anyone, any signed-in user, the owner of the thing named, or an administrator. */
export type Access = 'public' | 'member' | 'owner' | 'admin'

/** What a call changes: nothing, something here, or something that costs money or runs code. */
export type Effect = 'read' | 'write' | 'spend'

/** How often a caller may call. `secret` is for anything that checks a credential. */
export type RateClass = 'light' | 'normal' | 'costly' | 'secret'

/**
 * What a repeated call with the same `Idempotency-Key` gets: `key` the first answer, for days. `once` is for
 * answers that hold a secret: they are never kept on disk, so after a minute a repeated call is told that it was done.
 */
export type Idempotency = 'none' | 'key' | 'once'

interface Facts {
  /** Below `/api/<block>`; `''` is the block itself, `/:id` names an input field. */
  readonly path: string
  /** A plain verb phrase, as a button or a reference page would say it. */
  readonly title: string
  readonly input: ZodObject
  readonly refusals: readonly RefusalCode[]
  readonly access: Access
  readonly effect: Effect
  readonly rate: RateClass
  /** Bytes of JSON body accepted. */
  readonly bodyLimit: number
  readonly idempotency: Idempotency
  /** Success status. */
  readonly status: 200 | 201 | 202
}

export interface QueryOperation<I extends ZodObject = ZodObject, O extends ZodType = ZodType> extends Facts {
  readonly kind: 'query'
  readonly method: 'GET'
  readonly input: I
  readonly output: O
}

export interface CommandOperation<I extends ZodObject = ZodObject, O extends ZodType = ZodType> extends Facts {
  readonly kind: 'command'
  readonly method: 'POST'
  readonly input: I
  readonly output: O
}

export interface StreamOperation<I extends ZodObject = ZodObject, F extends ZodType = ZodType> extends Facts {
  readonly kind: 'stream'
  readonly method: 'GET'
  readonly input: I
  /** Each frame has `number` and `kind`; they become the event's `id` and `event`. */
  readonly frame: F
}

export type Operation = QueryOperation | CommandOperation | StreamOperation

type Given<I extends ZodObject> = Pick<Facts, 'path' | 'title'> & { readonly input: I } & Partial<
    Omit<Facts, 'path' | 'title' | 'input' | 'effect'>
  >

const KIB = 1024
const given = { refusals: [], access: 'member', rate: 'normal', bodyLimit: 64 * KIB, idempotency: 'none', status: 200 } as const

/** A read. Contract: answering it changes nothing and starts nothing. */
export function query<I extends ZodObject, O extends ZodType>(facts: Given<I> & { readonly output: O }): QueryOperation<I, O> {
  return { ...given, rate: 'light', ...facts, effect: 'read', kind: 'query', method: 'GET' }
}

/** A change. Every effect the caller can cause goes through one of these. */
export function command<I extends ZodObject, O extends ZodType>(
  facts: Given<I> & { readonly output: O; readonly effect?: 'write' | 'spend' },
): CommandOperation<I, O> {
  return { ...given, effect: 'write', ...facts, kind: 'command', method: 'POST' }
}

/** A subscription. Contract: subscribing starts nothing; leaving stops nothing. */
export function stream<I extends ZodObject, F extends ZodType>(facts: Given<I> & { readonly frame: F }): StreamOperation<I, F> {
  return { ...given, rate: 'light', ...facts, effect: 'read', kind: 'stream', method: 'GET' }
}
