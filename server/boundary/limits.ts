/** What the boundary accepts, in numbers. The reference page is printed from these tables. */
import type { RateClass } from '@bridlewise/shared'

const KIB = 1024

/** Bytes of a declared body that are swallowed after a refusal; past that the socket is closed. */
export const swallowBytes = 1024 * KIB

export interface Limits {
  /** Sockets open at once; the next one is closed unanswered. */
  readonly connections: number
  readonly headerBytes: number
  /** Milliseconds until all headers must be in, until the whole request must be in, and an idle socket stays open. */
  readonly headersMs: number
  readonly requestMs: number
  readonly idleMs: number
  /** Levels of nesting in a JSON body. */
  readonly jsonDepth: number
  /** Of one level; what is over is counted and told. */
  readonly logLinesPerMinute: number
  readonly streamsPerUser: number
  /** Streams of one thing, such as a run; and of everybody together, below `connections` so that calls still get through. */
  readonly streamsPerThing: number
  readonly streamsInAll: number
  /** Bytes waiting for a slow reader, and how long it may leave them there before it is dropped. */
  readonly streamBacklogBytes: number
  readonly streamStallMs: number
  readonly heartbeatMs: number
  /** How often an open stream asks whether its caller may still read. */
  readonly reauthoriseMs: number
  readonly rates: Readonly<Record<RateClass, Rate>>
}

/** A bucket of `burst` calls, into which one comes back every so many milliseconds. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

export const defaultLimits: Limits = {
  connections: 1024,
  headerBytes: 16 * KIB,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 10_000,
  jsonDepth: 64,
  logLinesPerMinute: 120,
  streamsPerUser: 128,
  streamsPerThing: 64,
  streamsInAll: 768,
  streamBacklogBytes: 1024 * KIB,
  streamStallMs: 10_000,
  heartbeatMs: 10_000,
  reauthoriseMs: 1_000,
  rates: {
    light: { burst: 600, everyMs: 10 },
    normal: { burst: 120, everyMs: 50 },
    costly: { burst: 40, everyMs: 500 },
    secret: { burst: 10, everyMs: 6_000 },
  },
}
