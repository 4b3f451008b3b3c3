/** What each owner keeps beside the words and the ledger, and the removal of the oldest of it. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

export interface KeptSum {
  readonly items: number
  readonly bytes: number
  readonly oldestAt: number | null
}

export interface KeptContent {
  /** Streams of ended runs. */
  readonly streams: KeptSum
  /** Whole results of which the conversation holds a part. */
  readonly results: KeptSum
  /** Contents of files that runs changed. */
  readonly versions: KeptSum
}

export interface Removed {
  readonly streams: number
  readonly results: number
  readonly versions: number
  readonly bytes: number
}

export interface Expiry {
  /** What is older goes. */
  readonly before: number
  /** What is over it goes, oldest first: whole results, then streams, then contents of files. */
  readonly bytes: number
  readonly at: number
  /** Runs whose stream somebody is reading. */
  readonly isWatched: (runId: string) => boolean
}

export interface RetentionBounds {
  readonly bytes: number
  readonly days: number
}

export interface Retention {
  measure(owner: Owner): KeptContent
  /** Count the frames of one ended run that were not counted yet. False when there is none. */
  countOne(): boolean
  /**
   * Make what is over the limits unreachable; the erasure does the rest.
   *
   * Contract: never touches an active run, a message or the ledger. Takes a bounded number, so call it
   * again until it removes nothing. Inside the transaction that records it.
   */
  expire(owner: Owner, expiry: Expiry): Removed
  /** Refuses: content_removed, when retention removed the stream of the run. */
  checkStream(owner: Owner, runId: string): Result<'kept'>
  /** What an administrator set; null for a name that nobody set. */
  bounds(): { readonly [Name in keyof RetentionBounds]: number | null }
  setBounds(bounds: RetentionBounds): void
}

/** Taken at once, of each kind. */
const atOnce = 1000

interface Candidate {
  readonly id: string
  readonly runId: string
  readonly bytes: number
  readonly at: number
}

export function createRetention({ database }: Pick<StoreContext, 'database'>): Retention {
  const sumStreams = database.prepare<[string], KeptSum>(
    `SELECT count(*) AS items, coalesce(sum(frameBytes), 0) AS bytes, min(endedAt) AS oldestAt FROM runs
     WHERE userId = ? AND framesRemovedAt IS NULL AND frameBytes > 0`,
  )
  const isLeft = 'NOT EXISTS (SELECT 1 FROM removed_results WHERE ref = blobs.id)'
  const sumResults = database.prepare<[string], KeptSum>(
    `SELECT count(*) AS items, coalesce(sum(bytes), 0) AS bytes, min(createdAt) AS oldestAt FROM blobs
     WHERE userId = ? AND ${isLeft} AND EXISTS (SELECT 1 FROM runs WHERE runs.id = runId)`,
  )
  const uncounted = database.prepare<[], { id: string }>(
    'SELECT id FROM runs WHERE frameBytes IS NULL AND endedAt IS NOT NULL ORDER BY id LIMIT 1',
  )
  const count = database.prepare<[string]>(
    'UPDATE runs SET frameBytes = (SELECT coalesce(sum(length(data)), 0) FROM frames WHERE runId = runs.id) WHERE id = ?',
  )
  const oldestStreams = database.prepare<[string, number], Candidate>(
    `SELECT id, id AS runId, frameBytes AS bytes, endedAt AS at FROM runs
     WHERE userId = ? AND framesRemovedAt IS NULL AND frameBytes > 0 ORDER BY endedAt LIMIT ?`,
  )
  const oldestResults = database.prepare<[string, number], Candidate>(
    `SELECT blobs.id, runId, bytes, blobs.createdAt AS at FROM blobs JOIN runs ON runs.id = runId
     WHERE blobs.userId = ? AND endedAt IS NOT NULL AND ${isLeft} ORDER BY blobs.createdAt LIMIT ?`,
  )
  const isThere = `EXISTS (SELECT 1 FROM chats WHERE chats.id = versions.chatId)
     AND NOT EXISTS (SELECT 1 FROM remains WHERE kind = 'version' AND remains.id = versions.id)`
  const sumVersions = database.prepare<[string], KeptSum>(
    `SELECT count(*) AS items, coalesce(sum(bytes), 0) AS bytes, min(createdAt) AS oldestAt FROM versions
     WHERE userId = ? AND ${isThere}`,
  )
  // An active run adds to them, and a rewind that is under way needs them to be taken back.
  const oldestVersions = database.prepare<[string, number], Candidate>(
    `SELECT id, '' AS runId, bytes, createdAt AS at FROM versions WHERE userId = ? AND ${isThere}
     AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.chatId = versions.chatId AND endedAt IS NULL)
     AND NOT EXISTS (SELECT 1 FROM rewinds WHERE rewinds.chatId = versions.chatId AND journal IS NOT NULL)
     ORDER BY createdAt LIMIT ?`,
  )
  const markStream = database.prepare<[number, string]>('UPDATE runs SET framesRemovedAt = ? WHERE id = ?')
  const markResult = database.prepare<[string, string, string, number]>(
    'INSERT INTO removed_results (ref, userId, runId, at) VALUES (?, ?, ?, ?)',
  )
  const leave = database.prepare<['stream' | 'result' | 'version', string]>('INSERT INTO remains (kind, id) VALUES (?, ?)')
  const removedAt = database.prepare<[string, string], { at: number | null }>(
    'SELECT framesRemovedAt AS at FROM runs WHERE id = ? AND userId = ?',
  )
  const bound = database.prepare<[string], { value: number }>('SELECT value FROM bounds WHERE name = ?')
  const setBound = database.prepare<[string, number]>(
    'INSERT INTO bounds (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )

  const measure = ({ userId }: Owner): KeptContent => ({
    streams: sumStreams.get(userId) ?? nothing,
    results: sumResults.get(userId) ?? nothing,
    versions: sumVersions.get(userId) ?? nothing,
  })
  const read = (name: string) => bound.get(name)?.value ?? null

  return {
    measure,
    countOne() {
      const run = uncounted.get()
      return run !== undefined && count.run(run.id) === 1
    },
    expire(owner, { before, bytes, at, isWatched }) {
      const kept = measure(owner)
      let excess = kept.results.bytes + kept.streams.bytes + kept.versions.bytes - bytes
      let freed = 0
      const remove = (candidates: readonly Candidate[], mark: (candidate: Candidate) => void) => {
        const going = candidates.filter((candidate) => {
          if ((candidate.at >= before && excess <= 0) || isWatched(candidate.runId)) return false
          excess -= candidate.bytes
          freed += candidate.bytes
          mark(candidate)
          return true
        })
        return going.length
      }
      const results = remove(oldestResults.all(owner.userId, atOnce), ({ id, runId }) => {
        markResult.run(id, owner.userId, runId, at)
        leave.run('result', id)
      })
      const streams = remove(oldestStreams.all(owner.userId, atOnce), ({ id }) => {
        markStream.run(at, id)
        leave.run('stream', id)
      })
      const versions = remove(oldestVersions.all(owner.userId, atOnce), ({ id }) => leave.run('version', id))
      return { streams, results, versions, bytes: freed }
    },
    checkStream({ userId }, runId) {
      const at = removedAt.get(runId, userId)?.at ?? null
      return at === null ? ok('kept') : refuseRemoved('stream', at)
    },
    bounds: () => ({ bytes: read('retention.bytes'), days: read('retention.days') }),
    setBounds: (given) =>
      database.transaction(() => {
        setBound.run('retention.bytes', given.bytes)
        setBound.run('retention.days', given.days)
      }),
  }
}

/** What whoever asks for removed content is told. */
export function refuseRemoved(what: 'stream' | 'whole result', at: number) {
  return refuse('content_removed', { what, date: new Date(at).toISOString().slice(0, 10) })
}

const nothing: KeptSum = { items: 0, bytes: 0, oldestAt: null }
