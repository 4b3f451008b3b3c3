/** Claims: the primary key that lets exactly one executor run a run, and the lease on a project's tree. */
import type { Result } from '@bridlewise/shared/refusals'

export interface Execution {
  readonly runId: string
  /** The owner of the run, who is also the owner of what recovery writes. */
  readonly userId: string
  readonly chatId: string
  readonly projectId: string | null
  readonly pid: number
  /** Names one start of one server; a pid comes back, this does not. */
  readonly bootId: string
  readonly claimedAt: number
  readonly leaseUntil: number
  readonly endedAt: number | null
}

export interface Executions {
  /**
   * Claim a run for execution.
   *
   * Contract: for one run id at most one caller, in any process, ever gets `ok`. The row decides;
   * memory is never consulted. Claiming does nothing else.
   * Refuses: run_already_claimed, thing_unknown.
   */
  claim(runId: string, lease: { readonly now: number; readonly leaseMs: number }): Result<Execution>
  /** Prolongs the lease of a claim of this boot. */
  heartbeat(runId: string, lease: { readonly now: number; readonly leaseMs: number }): void
  /** The claim stays for ever; it only stops being open. */
  end(runId: string, at: number): void
  /**
   * Runs that were active when their server died: open claims of other boots, and runs without a
   * claim that are neither ours nor ended. The lock on the data home proves that no such server lives.
   */
  listOrphans(): readonly Orphan[]
}

export interface Orphan {
  readonly runId: string
  readonly userId: string
  readonly chatId: string
  readonly projectId: string | null
  /** False when it died before anyone executed it. */
  readonly claimed: boolean
}

export interface WriterLeases {
  /**
   * Contract: of two runs of one tree at most one holds the lease. A lease of a dead boot is free.
   * `root` names the directory itself (`device:inode`), so two spellings of a path are one tree.
   * Refuses: project_busy.
   */
  take(root: string, runId: string, at: number): Result<'taken'>
  release(runId: string): void
}
