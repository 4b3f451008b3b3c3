/** Owners and pages: what every list and every owner-scoped read is asked with. */

/**
 * Whose rows a call may touch. Every repository of owned things takes one first, so that a query
 * without an owner cannot be written. A `Caller` is one.
 */
export interface Owner {
  readonly userId: string
}

export interface PageRequest {
  /** The `next` of the page before; the operation has refused what cannot be one. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly next?: string | undefined
}
