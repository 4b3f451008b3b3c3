/** The streams that are open: counted per user, kept alive, and closed when their caller may no longer read. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Limits } from '../boundary/index.ts'
import type { EventWriter } from './events.ts'

export interface OpenStream {
  /** Asks the accounts again. */
  readonly mayRead: () => boolean
  readonly writer: EventWriter
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
  readonly #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null
  /** Settles when the last stream has gone. */
  #emptied = Promise.withResolvers<void>()

  constructor(limits: Limits, elapsed: () => number) {
    this.#limits = limits
    this.#elapsed = elapsed
  }

  /**
   * Take a place for one stream of a user, before anything is opened for it.
   *
   * Contract: `free` gives the place back, once, whether or not the stream was ever opened.
   * Refuses: streams_too_many.
   */
  reserve(userId: string): Result<Place> {
    const count = this.#counts.get(userId) ?? 0
    if (count >= this.#limits.streamsPerUser) return refuse('streams_too_many', { limit: this.#limits.streamsPerUser })
    this.#counts.set(userId, count + 1)
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
        this.#release(userId)
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

  #release(userId: string): void {
    const left = (this.#counts.get(userId) ?? 1) - 1
    if (left > 0) this.#counts.set(userId, left)
    else this.#counts.delete(userId)
    if (this.#streams.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
