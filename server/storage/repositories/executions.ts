/** Claims: the primary key that lets exactly one executor run a run, and the lease on a project's tree. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

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

export interface Lease {
  readonly now: number
  readonly leaseMs: number
}

export interface Executions {
  /**
   * Claim a run for execution.
   *
   * Contract: for one run id at most one caller, in any process, ever gets `ok`. The row decides;
   * memory is never consulted. Claiming does nothing else.
   * Refuses: run_already_claimed, thing_unknown.
   */
  claim(owner: Owner, runId: string, lease: Lease): Result<Execution>
  /** Prolongs the lease of a claim of this boot. */
  heartbeat(owner: Owner, runId: string, lease: Lease): void
  /** The claim stays for ever; it only stops being open. */
  end(owner: Owner, runId: string, at: number): void
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

/** A directory that a run may change. */
export interface Tree {
  /** `device:inode`. */
  readonly root: string
  /** The same of each directory above it. */
  readonly above: readonly string[]
}

export interface WriterLeases {
  /**
   * Contract: of two runs of one tree at most one holds the lease. A lease of a dead boot is free.
   * A directory is named by itself (`device:inode`), so two spellings of a path are one tree; so are a
   * directory and one inside it.
   * Refuses: project_busy, which names a run of the same owner, and of somebody else only that there is one.
   */
  take(owner: Owner, tree: Tree, lease: { readonly runId: string; readonly at: number }): Result<'taken'>
  release(runId: string): void
}

export function createExecutions({ database, bootId }: StoreContext): Executions {
  const claim = database.prepare<[number, string, number, number, string, string]>(
    `INSERT INTO run_executions (runId, pid, bootId, claimedAt, leaseUntil)
     SELECT id, ?, ?, ?, ? FROM runs WHERE id = ? AND userId = ? ON CONFLICT (runId) DO NOTHING`,
  )
  const byRun = database.prepare<[string, string], Execution>(
    `SELECT runId, userId, chatId, projectId, pid, run_executions.bootId, claimedAt, leaseUntil, run_executions.endedAt
     FROM run_executions JOIN runs ON runs.id = runId WHERE runId = ? AND userId = ?`,
  )
  const ofOwner = 'runId = (SELECT id FROM runs WHERE id = ? AND userId = ?) AND endedAt IS NULL'
  const heartbeat = database.prepare<[number, string, string, string]>(
    `UPDATE run_executions SET leaseUntil = ? WHERE ${ofOwner} AND bootId = ?`,
  )
  const end = database.prepare<[number, string, string]>(`UPDATE run_executions SET endedAt = ? WHERE ${ofOwner}`)
  const orphans = database.prepare<[string], Omit<Orphan, 'claimed'> & { readonly claimed: 0 | 1 }>(
    `SELECT id AS runId, userId, chatId, projectId, EXISTS (SELECT 1 FROM run_executions WHERE runId = runs.id) AS claimed
     FROM runs WHERE status IN ('queued', 'running') AND bootId <> ? ORDER BY id`,
  )

  return {
    claim: ({ userId }, runId, { now, leaseMs }) =>
      database.transaction(() => {
        const won = claim.run(process.pid, bootId, now, now + leaseMs, runId, userId) === 1
        const execution = byRun.get(runId, userId)
        if (execution === undefined) return refuse('thing_unknown', { kind: 'run' })
        return won ? ok(execution) : refuse('run_already_claimed')
      }),
    heartbeat: ({ userId }, runId, { now, leaseMs }) => void heartbeat.run(now + leaseMs, runId, userId, bootId),
    end: ({ userId }, runId, at) => void end.run(at, runId, userId),
    listOrphans: () => orphans.all(bootId).map((row) => ({ ...row, claimed: row.claimed === 1 })),
  }
}

export function createWriterLeases({ database, bootId }: StoreContext): WriterLeases {
  const holder = database.prepare<
    [string, string, string, string, string],
    { runId: string; chatId: string | null; userId: string | null }
  >(
    `SELECT runId, chatId, userId FROM writer_leases LEFT JOIN runs ON runs.id = runId
     WHERE writer_leases.bootId = ? AND runId <> ?
     AND (root = ? OR instr(above, ' ' || ? || ' ') > 0 OR instr(?, ' ' || root || ' ') > 0) LIMIT 1`,
  )
  const take = database.prepare<[string, string, string, string, number]>(
    'INSERT OR REPLACE INTO writer_leases (root, above, runId, bootId, takenAt) VALUES (?, ?, ?, ?, ?)',
  )
  const release = database.prepare<[string]>('DELETE FROM writer_leases WHERE runId = ?')

  return {
    take: ({ userId }, { root, above }, { runId, at }) =>
      database.transaction(() => {
        const chain = above.map((directory) => ` ${directory} `).join('')
        const other = holder.get(bootId, runId, root, root, chain)
        if (other?.userId === userId) {
          return refuse('project_busy', { holder: 'Another run of yours', runId: other.runId, chatId: other.chatId })
        }
        if (other !== undefined) return refuse('project_busy', { holder: 'A run of somebody else' })
        take.run(root, chain, runId, bootId, at)
        return ok('taken')
      }),
    release: (runId) => void release.run(runId),
  }
}
