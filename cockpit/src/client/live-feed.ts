/** Watching runs: one subscription a run, resumed after each loss, every frame delivered once and in order. */
import type { StreamEnd } from '@bridlewise/shared/client'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { Frame } from '@bridlewise/shared/wire'
import type { TakeSlot } from './stream-slots.ts'

export type FeedStatus =
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting'; readonly attempt: number }
  /** The terminal frame came; nothing follows. */
  | { readonly kind: 'ended' }
  /** The server said no for good: the run is unknown, or the session is over. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export interface FeedListener {
  onFrame(frame: Frame): void
  onStatus(status: FeedStatus): void
}

export interface FeedPorts {
  /** One subscription from the frame after `lastEventId`; see the contract of `openStream`. */
  open(runId: string, from: { readonly lastEventId?: number; readonly signal: AbortSignal }): AsyncGenerator<Frame, StreamEnd>
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Room for one more long stream; see `stream-slots.ts`. */
  readonly takeSlot: TakeSlot
}

export interface LiveFeed {
  /**
   * Watch a run until the returned function is called.
   *
   * Contract: the listener gets every frame from number 1 once, in order, whatever the line does. A line
   * that leaves a number out is asked again from there, and meanwhile said to be reconnecting. After a
   * `resync` what came before counts no more, and the frames begin anew.
   * Listeners of one run share one connection; it closes when the last one leaves.
   */
  watch(runId: string, listener: FeedListener): () => void
}

/** Waiting times between attempts, in milliseconds; the last one repeats. */
const backoff = [250, 500, 1000, 2000, 4000, 8000] as const

/** Without a slot a feed looks in for so long, and stays away for so long, in milliseconds. */
const visit = { stayMs: 700, awayMs: 2000 } as const

export function createLiveFeed(ports: FeedPorts): LiveFeed {
  const feeds = new Map<string, Feed>()
  return {
    watch(runId, listener) {
      const feed = feeds.get(runId) ?? newFeed()
      const isFirst = !feeds.has(runId)
      feeds.set(runId, feed)
      for (const frame of feed.frames) listener.onFrame(frame)
      listener.onStatus(feed.status)
      feed.listeners.add(listener)
      if (isFirst) {
        void follow(ports, runId, feed).then(() => {
          if (feeds.get(runId) === feed) feeds.delete(runId)
        })
      }
      return () => {
        feed.listeners.delete(listener)
        if (feed.listeners.size > 0) return
        feed.control.abort()
        if (feeds.get(runId) === feed) feeds.delete(runId)
      }
    },
  }
}

interface Feed {
  readonly listeners: Set<FeedListener>
  /** What came so far, for a listener that joins late. */
  readonly frames: Frame[]
  readonly control: AbortController
  status: FeedStatus
}

function newFeed(): Feed {
  return { listeners: new Set(), frames: [], control: new AbortController(), status: { kind: 'live' } }
}

async function follow(ports: FeedPorts, runId: string, feed: Feed): Promise<void> {
  const { signal } = feed.control
  const tell = (status: FeedStatus) => {
    feed.status = status
    for (const listener of [...feed.listeners]) listener.onStatus(status)
  }
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const before = feed.frames.length
    const end = await subscribeInTurn(ports, runId, feed)
    if (signal.aborted) return
    if (feed.frames.at(-1)?.kind === 'ended') return tell({ kind: 'ended' })
    if (end.kind === 'refused' && end.refusal.retry !== 'later') return tell({ kind: 'refused', refusal: end.refusal })
    if (feed.frames.length > before) attempt = 0
    if (end.kind === 'aborted') {
      attempt = 0
      await ports.wait(visit.awayMs, signal)
      continue
    }
    tell({ kind: 'reconnecting', attempt: attempt + 1 })
    await ports.wait(backoff[Math.min(attempt, backoff.length - 1)] ?? 0, signal)
  }
}

/** With a slot the subscription lasts; without one it is a short visit that ends as aborted. */
async function subscribeInTurn(ports: FeedPorts, runId: string, feed: Feed): Promise<StreamEnd> {
  const release = await ports.takeSlot()
  if (release) {
    try {
      return await subscribe(ports, runId, feed, feed.control.signal)
    } finally {
      release()
    }
  }
  const leaving = new AbortController()
  const signal = AbortSignal.any([feed.control.signal, leaving.signal])
  void ports.wait(visit.stayMs, signal).then(() => leaving.abort())
  return subscribe(ports, runId, feed, signal)
}

async function subscribe(ports: FeedPorts, runId: string, feed: Feed, signal: AbortSignal): Promise<StreamEnd> {
  const last = feed.frames.at(-1)?.number
  const stream = ports.open(runId, { signal, ...(last === undefined ? {} : { lastEventId: last }) })
  for (;;) {
    const { done, value } = await stream.next()
    if (done) return value
    if (signal.aborted) return { kind: 'aborted' }
    if (value.kind === 'resync') feed.frames.length = 0
    const expected = value.kind === 'resync' ? value.number : (feed.frames.at(-1)?.number ?? 0) + 1
    if (value.number < expected) continue
    if (value.number > expected) {
      await stream.return({ kind: 'closed' })
      return { kind: 'closed' }
    }
    feed.frames.push(value)
    if (feed.status.kind !== 'live') {
      feed.status = { kind: 'live' }
      for (const listener of [...feed.listeners]) listener.onStatus(feed.status)
    }
    for (const listener of [...feed.listeners]) listener.onFrame(value)
    if (value.kind === 'ended') {
      await stream.return({ kind: 'closed' })
      return { kind: 'closed' }
    }
  }
}
