/** The sweep: what is over the limits goes, what was deleted is erased to the end, and the room goes back to the disk. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Owner, type Removed, replyKeptMs, type Store } from '../storage/index.ts'
import { readLimits } from './limits.ts'

export interface SweeperParts {
  readonly store: Pick<
    Store,
    'retention' | 'settings' | 'users' | 'erasure' | 'reclaim' | 'ledger' | 'transaction' | 'sessions' | 'codes' | 'idempotency'
  >
  readonly now: () => number
  /** Whether somebody reads the stream of a run right now. */
  readonly isWatched: (runId: string) => boolean
  /** A sweep that broke is reported and ends; the next one goes on where it was. */
  readonly report: (cause: unknown) => void
}

export interface Sweeper {
  /** Sweep soon. Calls before it begins are one sweep. */
  wake(): void
  /** Sweep now, after a sweep that is under way. Gives what went of whom, by user id. */
  sweep(): Promise<ReadonlyMap<string, Removed>>
  /** Contract: resolves after the step under way; the store may be closed then. */
  close(): Promise<void>
}

const dayMs = 24 * 60 * 60 * 1000
/** Commits between two foldings of the log, so that none of them takes long. */
const stepsPerFold = 8

export function createSweeper(parts: SweeperParts): Sweeper {
  let closing = false
  let waiting = false
  let tail: Promise<unknown> = Promise.resolve()
  const isOpen = () => !closing
  // Age counts also where nothing happens.
  const timer = setInterval(wake, dayMs).unref()
  parts.store.erasure.onRemains(wake)

  function sweep(): Promise<ReadonlyMap<string, Removed>> {
    const swept = tail.then(() => sweepAll(parts, isOpen))
    tail = swept.catch(() => undefined)
    return swept
  }

  function wake(): void {
    if (waiting || closing) return
    waiting = true
    tail = tail.then(() => {
      waiting = false
      return sweepAll(parts, isOpen).catch(parts.report)
    })
  }

  return {
    wake,
    sweep,
    async close() {
      closing = true
      clearInterval(timer)
      await tail
    },
  }
}

/** `isOpen` is asked before each step. */
async function sweepAll(parts: SweeperParts, isOpen: () => boolean): Promise<ReadonlyMap<string, Removed>> {
  const { store } = parts
  const removed = new Map<string, Removed>()
  const repeat = async (step: () => boolean) => {
    let steps = 0
    for (; isOpen() && step(); steps += 1) {
      if (steps % stepsPerFold === stepsPerFold - 1) store.reclaim.foldLog()
      await nextTurn()
    }
    return steps
  }
  await nextTurn()
  if (isOpen()) forgetExpired(parts)
  await repeat(() => store.retention.countOne())
  for (const { id } of isOpen() ? store.users.list() : []) {
    await repeat(() => expire(parts, { userId: id }, removed))
  }
  const erased = await repeat(() => store.erasure.step())
  const reclaimed = await repeat(() => store.reclaim.step())
  if (isOpen() && erased + reclaimed > 0) store.reclaim.truncateLog()
  return removed
}

/** What counts for a time only, and is small. */
function forgetExpired({ store, now }: SweeperParts): void {
  store.sessions.removeExpired(now())
  store.codes.removeExpired(now())
  store.idempotency.removeBefore(now() - replyKeptMs)
}

/** One commit: the removal and the beat that records it. False when nothing is over the limits. */
function expire({ store, now, isWatched }: SweeperParts, owner: Owner, removed: Map<string, Removed>): boolean {
  const at = now()
  const { bytes, days } = readLimits(store, owner)
  return store.transaction(() => {
    const gone = store.retention.expire(owner, { before: at - days * dayMs, bytes, at, isWatched })
    if (gone.streams + gone.results + gone.versions === 0) return false
    store.ledger.write({ ...owner, runId: null, chatId: null }, { kind: 'retention', payload: { ...gone }, source: 'server' })
    const before = removed.get(owner.userId) ?? { streams: 0, results: 0, versions: 0, bytes: 0 }
    removed.set(owner.userId, {
      streams: before.streams + gone.streams,
      results: before.results + gone.results,
      versions: before.versions + gone.versions,
      bytes: before.bytes + gone.bytes,
    })
    return true
  })
}
