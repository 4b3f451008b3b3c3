/** A tally of what was not looked at, so that nothing is silently absent. */
import type { Skipped } from '@bridlewise/shared/wire'

export type SkipReason = Skipped['reason']

export class SkipTally {
  readonly #counts = new Map<SkipReason, number>()

  /** Count one entry. A directory that is not entered counts once, whatever is in it. */
  add(reason: SkipReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  list(): Skipped[] {
    return [...this.#counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => (a.reason < b.reason ? -1 : 1))
  }
}
