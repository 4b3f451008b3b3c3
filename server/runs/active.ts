/** The runs that this process executes right now. Whether a run may be executed is never decided here. */

import type { Owner } from '../storage/index.ts'

/** Why a run is stopped; the reason that its signal aborts with. */
export type StopReason = 'cancelled' | 'interrupted'

/** A run and whose it is. */
export interface ActiveRun extends Owner {
  readonly runId: string
}

interface Entry extends ActiveRun {
  readonly controller: AbortController
  readonly done: Promise<void>
}

export class ActiveRuns {
  readonly #entries = new Map<string, Entry>()

  /** Begin and remember. Contract: `execute` handles its own faults. */
  launch({ runId, userId }: ActiveRun, execute: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController()
    const done = execute(controller.signal).finally(() => this.#entries.delete(runId))
    this.#entries.set(runId, { runId, userId, controller, done })
  }

  /**
   * Ask a run to stop and wait for it.
   *
   * Contract: true when it is not executed any more, false when it still is after `patienceMs`. The
   * first reason counts.
   */
  async stop(runId: string, reason: StopReason, patienceMs: number): Promise<boolean> {
    const entry = this.#entries.get(runId)
    if (!entry) return true
    entry.controller.abort(reason)
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, patienceMs)
    await Promise.race([entry.done, patience.promise])
    clearTimeout(timer)
    return !this.#entries.has(runId)
  }

  all(): readonly ActiveRun[] {
    return [...this.#entries.values()]
  }
}
