/** The shape a handler of each block must have, derived from its declaration. */
import type { z } from 'zod'
import type { Result } from '../refusals/index.ts'
import type { Block } from './block.ts'
import type { Operation, StreamOperation } from './operation.ts'

/** What a handler receives: the input after parsing. */
export type InputOf<O extends Operation> = z.output<O['input']>

/** What a caller passes: the input before defaults. */
export type CallOf<O extends Operation> = z.input<O['input']>

/** What a reply carries, or for a stream each frame. */
export type ReplyOf<O extends Operation> = O extends StreamOperation
  ? z.output<O['frame']>
  : O extends { readonly output: infer Output extends z.ZodType }
    ? z.output<Output>
    : never

/**
 * One handler of one operation.
 *
 * Contract: an expected no is returned as a refusal; a thrown error is a fault and reaches the
 * caller as an opaque id. A stream's iterable ends after its terminal frame or when `context` aborts.
 */
export type Handler<O extends Operation, Context> = (
  context: Context,
  input: InputOf<O>,
) => Promise<Result<O extends StreamOperation ? AsyncIterable<ReplyOf<O>> : ReplyOf<O>>>

/** Exactly the operations of a block, no more and no fewer. */
export type Handlers<B extends Block, Context> = {
  readonly [Name in keyof B['operations']]: Handler<B['operations'][Name], Context>
}
