/** The streams that are open: counted, kept alive, and closed when their caller may no longer read. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Limits } from '../boundary/index.ts'
import type { EventWriter } from './events.ts'

export interface OpenStream {
  /** Asks the accounts again. */
  readonly mayRead: () => boolean
  readonly writer: EventWriter
}

/** What a stream is counted under. */
export interface Watching {
  readonly userId: string
  /** What is watched, by its path: a run. */
  readonly thing: string
}

export interface Place {
  open(stream: OpenStream): void
  free(): void
}

/** How long a stop waits for streams whose runs it has ended. Milliseconds. */
const partingMs = 300

export class OpenStreams {
  readonly #limits: Limits
  readonly #elapsed: () => number
  readonly #streams = new Set<OpenStream>()
  readonly #places = new Set<Watching>()
  #timer: NodeJS.Timeout | null = null
  /** Settles when the last stream has gone. */
  #emptied = Promise.withResolvers<void>()

  constructor(limits: Limits, elapsed: () => number) {
    this.#limits = limits
    this.#elapsed = elapsed
  }

  /**
   * Take a place for one stream, before anything is opened for it.
   *
   * Contract: `free` gives the place back, once, whether or not the stream was ever opened.
   * Refuses: streams_too_many, for the account, for what is watched, and for everybody together.
   */
  reserve(watching: Watching): Result<Place> {
    const full = this.#fullFor(watching)
    if (full) return refuse('streams_too_many', full)
    // A copy, so that two places of one caller are two.
    const taken = { ...watching }
    this.#places.add(taken)
    let stream: OpenStream | null = null
    return ok({
      open: (opened) => {
        stream = opened
        if (this.#streams.size === 0) this.#emptied = Promise.withResolvers()
        this.#streams.add(opened)
        this.#timer ??= setInterval(() => this.#look(), this.#limits.reauthoriseMs).unref()
      },
      free: () => {
        if (stream) this.#streams.delete(stream)
        if (this.#streams.size === 0) this.#emptied.resolve()
        this.#release(taken)
      },
    })
  }

  /**
   * End every stream.
   *
   * Contract: one whose frames end by themselves within `partingMs` has delivered them all.
   */
  async endAll(): Promise<void> {
    if (this.#streams.size > 0) {
      const timer = setTimeout(this.#emptied.resolve, partingMs)
      await this.#emptied.promise
      clearTimeout(timer)
    }
    for (const stream of this.#streams) stream.writer.close()
  }

  #look(): void {
    const now = this.#elapsed()
    for (const stream of this.#streams) {
      if (stream.mayRead()) stream.writer.beat(now)
      else stream.writer.close()
    }
  }

  /** There are hundreds of places at most, so they are counted when somebody asks. */
  #fullFor({ userId, thing }: Watching): { readonly limit: number; readonly where: string } | null {
    const { streamsPerUser, streamsPerThing, streamsInAll } = this.#limits
    const places = [...this.#places]
    const own = places.filter((place) => place.userId === userId)
    if (own.length >= streamsPerUser) return { limit: streamsPerUser, where: 'for this account' }
    // Among one's own only: else who asks for a foreign run would learn from this no that there is one.
    if (own.filter((place) => place.thing === thing).length >= streamsPerThing)
      return { limit: streamsPerThing, where: 'on what you want to watch' }
    return places.length >= streamsInAll ? { limit: streamsInAll, where: 'on this server' } : null
  }

  #release(place: Watching): void {
    this.#places.delete(place)
    if (this.#streams.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
