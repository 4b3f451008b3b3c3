/** The record of runs: who asked, what answers, how it stands. Claiming is in `executions.ts`. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Outcome, Run, RunMode } from '@bridlewise/shared/wire'
import type { Owner, Page, PageRequest } from '../pages.ts'

export interface RunDraft {
  readonly id: string
  readonly chatId: string
  readonly projectId: string | null
  readonly mode: RunMode
  readonly model: Run['model']
  readonly fixture: boolean
  /** The `Idempotency-Key` it was started with. One run an owner and key, also after a crash. */
  readonly idempotencyKey: string | null
  readonly createdAt: number
}

export interface RunFilter extends PageRequest {
  readonly chatId?: string | undefined
}

export interface Runs {
  /** Status `queued`. Contract: a second run with the same owner and idempotency key is a fault; look first. */
  create(owner: Owner, draft: RunDraft): Run
  get(owner: Owner, runId: string): Run | null
  /** In the order of `runIds`, without those that are not the owner's. */
  getMany(owner: Owner, runIds: readonly string[]): readonly Run[]
  findByIdempotencyKey(owner: Owner, key: string): Run | null
  /** Newest first. */
  list(owner: Owner, filter: RunFilter): Page<Run>
  /** Queued or running, oldest first. */
  listActive(owner: Owner): readonly Run[]
  /** `queued` to `running`. Refuses: thing_unknown, run_already_ended. */
  begin(owner: Owner, runId: string, at: number): Result<Run>
  /**
   * To the outcome's terminal status.
   *
   * Contract: a terminal status never changes again.
   * Refuses: thing_unknown, run_already_ended.
   */
  end(owner: Owner, runId: string, ending: { readonly outcome: Outcome; readonly at: number }): Result<Run>
}
