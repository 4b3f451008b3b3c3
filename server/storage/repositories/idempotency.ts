/** The first answer to a request that carried an `Idempotency-Key`, to be given again. */
import type { Owner } from '../pages.ts'

export interface IdempotencyKey {
  readonly operation: string
  readonly key: string
}

/** What is known about a key: nothing, an answer, a request under way, or another request. */
export type IdempotencyState =
  | { readonly kind: 'new' }
  | { readonly kind: 'answered'; readonly reply: string }
  | { readonly kind: 'pending' }
  | { readonly kind: 'reused' }

export interface Idempotency {
  /**
   * Look a key up and take it when it is free.
   *
   * Contract: `new` is given once; the caller then ends with `finish` or `release`. `digest` is
   * over the request: the same key with another one is `reused`. A key taken by a boot that died
   * before it answered is `new` again; a run's own key column keeps that from starting a second run.
   */
  begin(owner: Owner, key: IdempotencyKey, request: { readonly digest: string; readonly at: number }): IdempotencyState
  /** `reply` is what the caller wants back, as text. */
  finish(owner: Owner, key: IdempotencyKey, reply: string): void
  /** The request was refused or broke: the key is free again. */
  release(owner: Owner, key: IdempotencyKey): void
  removeBefore(at: number): void
}
