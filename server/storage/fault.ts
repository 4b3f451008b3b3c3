/** The one error that leaves the store by being thrown and still has a typed answer. */
import { makeRefusal, type Refusal, type RefusalCode } from '@bridlewise/shared/refusals'

/**
 * The machine broke in a way that has a name: `storage_full`, `sealed_value_tampered`, `key_missing`.
 *
 * Any read or write may meet one, so they are thrown instead of widening every signature. The HTTP
 * error hook and the run executor answer with `refusal` where they would otherwise give an opaque id.
 */
export class StorageFault extends Error {
  readonly refusal: Refusal

  constructor(code: RefusalCode, facts: Readonly<Record<string, unknown>>, cause?: unknown) {
    const refusal = makeRefusal(code, facts)
    super(refusal.message, cause === undefined ? {} : { cause })
    this.name = 'StorageFault'
    this.refusal = refusal
  }
}
