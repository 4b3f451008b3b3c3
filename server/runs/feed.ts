/**
 * The frames of runs, stored and then shown to any number of subscribers.
 *
 * This file is all that a stream handler reaches: it can neither start, execute nor stop a run. A
 * subscriber has no queue of its own, only a position. It reads recent frames from memory and older
 * ones from the store, so a slow one costs nothing and misses nothing.
 */
import type { Frame, FrameDraft } from '@bridlewise/shared/wire'
import type { Owner, Store } from '../storage/index.ts'

export interface FeedScope extends Owner {
  readonly runId: string
}

/** Gives the frames of one commit their numbers. */
export type NumberFrames = (drafts: readonly FrameDraft[]) => readonly Frame[]

/** Number of the last frame that a viewer has; `unknown` when what it names is no number, null when it has none. */
export type LastSeen = number | 'unknown' | null

export interface Feed {
  /** Make a run live, before anyone can ask for its stream. `after` is the number of its last stored frame. */
  open(runId: string, after: number): void
  /**
   * Number frames, store them, then show them.
   *
   * Contract: frames appear in the order of the calls, none before it is durable, none after the run
   * was closed: those are dropped.
   */
  append(scope: FeedScope, drafts: readonly FrameDraft[]): Promise<void>
  /**
   * The same for frames that share a transaction with what they report: `work` opens it, numbers
   * its frames and stores them; asked for numbers again, it gets the same. Contract: what was appended
   * before is stored before; when `work` rejects nothing is shown and no number is used up. It is not
   * called when the run was closed.
   */
  commit(runId: string, work: (number: NumberFrames) => Promise<unknown>): Promise<void>
  /** Nothing more will come. Subscribers that have seen everything end. */
  close(runId: string): void
  /**
   * Watch a run from the frame after `lastSeen`.
   *
   * Contract: a `lastSeen` that this stream never gave brings one `resync` and then everything from the start, never a
   * silent gap. Yields each frame once and in order, ends after `ended`, when the run is not live and
   * everything stored was yielded, or when `signal` aborts. Watching starts nothing; leaving stops nothing.
   */
  subscribe(scope: FeedScope, lastSeen: LastSeen, signal: AbortSignal): AsyncIterable<Frame>
  /** Whether somebody watches the run right now. */
  isWatched(runId: string): boolean
}

/** Frames of a live run that are kept in memory; older ones are read from the store. */
const recentFrames = 512
const pageSize = 500

type FeedStore = Pick<Store, 'frames' | 'runs'>

interface Channel {
  /** Number given last. */
  numbered: number
  /** The newest frames that are stored, in order. */
  readonly recent: Frame[]
  closed: boolean
  /** Settles when everything handed over so far is stored and shown, or has failed. */
  tail: Promise<unknown>
  /** Settles at the next change. */
  changed: PromiseWithResolvers<void>
}

export function createFeed(store: FeedStore): Feed {
  const channels = new Map<string, Channel>()
  const watching = new Map<string, number>()
  const count = (runId: string, more: number) => {
    const watchers = (watching.get(runId) ?? 0) + more
    if (watchers > 0) watching.set(runId, watchers)
    else watching.delete(runId)
  }

  return {
    open(runId, after) {
      const changed = Promise.withResolvers<void>()
      channels.set(runId, { numbered: after, recent: [], closed: false, tail: Promise.resolve(), changed })
    },
    append(scope, drafts) {
      return inTurn(channels.get(scope.runId), async (number) => {
        if (drafts.length > 0) await store.frames.append(scope, number(drafts))
      })
    },
    commit(runId, work) {
      return inTurn(channels.get(runId), work)
    },
    close(runId) {
      const channel = channels.get(runId)
      if (!channel) return
      channels.delete(runId)
      channel.closed = true
      announce(channel)
    },
    async *subscribe(scope, lastSeen, signal) {
      count(scope.runId, 1)
      try {
        yield* follow(store, { channel: channels.get(scope.runId), scope, lastSeen }, signal)
      } finally {
        count(scope.runId, -1)
      }
    },
    isWatched: (runId) => watching.has(runId),
  }
}

interface Subscription {
  /** Absent for a run that is not live. */
  readonly channel: Channel | undefined
  readonly scope: FeedScope
  readonly lastSeen: LastSeen
}

async function* follow(
  store: FeedStore,
  { channel, scope, lastSeen }: Subscription,
  signal: AbortSignal,
): AsyncGenerator<Frame, void> {
  const last = channel?.numbered ?? store.frames.lastNumber(scope, scope.runId)
  const isKnown = lastSeen === null || (lastSeen !== 'unknown' && lastSeen >= 0 && lastSeen <= last)
  const run = isKnown ? null : store.runs.get(scope, scope.runId)
  if (run) yield { number: 0, kind: 'resync', run }
  let position = isKnown ? (lastSeen ?? 0) : 0
  while (!signal.aborted) {
    const changed = channel?.changed.promise
    const frames = framesAfter(store, channel, { scope, position })
    for (const frame of frames) {
      yield frame
      position = frame.number
      if (frame.kind === 'ended' || signal.aborted) return
    }
    if (frames.length > 0) continue
    if (!channel || channel.closed) return
    await eitherOf(changed, signal)
  }
}

/** Store after everything before is stored, show what was numbered, and take the numbers back if that failed. */
function inTurn(channel: Channel | undefined, store: (number: NumberFrames) => Promise<unknown>): Promise<void> {
  if (!channel) return Promise.resolve()
  const turn = channel.tail.then(async () => {
    if (channel.closed) return
    let frames: readonly Frame[] = []
    await store((drafts) => {
      frames = drafts.map((draft, at) => ({ ...draft, number: channel.numbered + at + 1 }) as Frame)
      return frames
    })
    channel.numbered += frames.length
    show(channel, frames)
  })
  channel.tail = turn.catch(() => undefined)
  return turn
}

function show(channel: Channel, frames: readonly Frame[]): void {
  channel.recent.push(...frames)
  if (channel.recent.length > 2 * recentFrames) channel.recent.splice(0, channel.recent.length - recentFrames)
  announce(channel)
}

function announce(channel: Channel): void {
  const before = channel.changed
  channel.changed = Promise.withResolvers()
  before.resolve()
}

/** From memory when it reaches back far enough, else a page of the store. */
function framesAfter(
  store: Pick<Store, 'frames'>,
  channel: Channel | undefined,
  from: { readonly scope: FeedScope; readonly position: number },
): readonly Frame[] {
  const oldest = channel?.recent[0]?.number
  if (channel && oldest !== undefined && oldest <= from.position + 1) return channel.recent.slice(from.position + 1 - oldest)
  return store.frames.read(from.scope, from.scope.runId, { after: from.position, limit: pageSize })
}

/** Settles when the promise does or the signal aborts, and leaves no listener behind. */
async function eitherOf(change: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>()
  const stop = () => aborted.resolve()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await Promise.race([change, aborted.promise])
  signal.removeEventListener('abort', stop)
}
