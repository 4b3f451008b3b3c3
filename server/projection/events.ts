/** One stream on the wire: frames as server-sent events, at the pace of its reader. */
import type { ServerResponse } from 'node:http'
import type { Limits } from '../boundary/index.ts'

/** A frame as streams declare it: its number is the event's id, its kind the event's name. */
interface NumberedFrame {
  readonly number: number
  readonly kind: string
}

/** Many viewers of one run are handed the same frame; it is spelled out once. */
const spelled = new WeakMap<object, string>()

/**
 * Spell a frame as an event.
 *
 * Contract: JSON has no line breaks, so no text of a model can end the line and begin an event of its own.
 */
export function spellEvent(frame: object): string {
  const known = spelled.get(frame)
  if (known !== undefined) return known
  const { number, kind } = frame as NumberedFrame
  if (!Number.isSafeInteger(number) || !/^[a-z_]+$/.test(kind)) throw new Error('a frame without a number and a kind')
  const event = `id: ${number}\nevent: ${kind}\ndata: ${JSON.stringify(frame)}\n\n`
  spelled.set(frame, event)
  return event
}

/** The writing end of one stream. It is closed from three sides: the frames end, the reader leaves, the right ends. */
export class EventWriter {
  readonly #raw: ServerResponse
  readonly #limits: Limits
  #silentSince = 0
  #corked = false

  constructor(raw: ServerResponse, limits: Limits) {
    this.#raw = raw
    this.#limits = limits
  }

  /**
   * Write every frame, then end.
   *
   * Contract: takes the next frame only when the last ones are on their way, so a slow reader costs
   * `streamBacklogBytes` at most; one that stands still for `streamStallMs` is dropped. Rejects when
   * the frames do.
   */
  async writeAll(frames: AsyncIterable<object>): Promise<void> {
    for await (const frame of frames) {
      if (this.#raw.destroyed || this.#raw.writableEnded) return
      this.#write(spellEvent(frame))
      if (this.#raw.writableLength > this.#limits.streamBacklogBytes && !(await this.#drained())) return this.drop()
    }
    this.end()
  }

  /** Say that the stream is alive, when nothing else has said so for a while. */
  beat(now: number): void {
    if (this.#silentSince === 0) this.#silentSince = now
    if (now - this.#silentSince < this.#limits.heartbeatMs || this.#raw.writableLength > 0) return
    this.#write(': still here\n\n')
    this.#silentSince = now
  }

  /** Node sends the end of a chunked body before what is still corked, so that goes first. */
  end(): void {
    if (this.#raw.writableEnded) return
    this.#uncork()
    this.#raw.end()
  }

  /** End it from our side. What a slow reader has not taken yet is not worth waiting for. */
  close(): void {
    if (this.#raw.writableLength === 0) this.end()
    else this.drop()
  }

  /** Without the end of the stream: the reader sees a lost connection and comes back where it was. */
  drop(): void {
    this.#raw.destroy()
  }

  /** What is written in one turn of the event loop leaves in one piece. */
  #write(text: string): void {
    this.#silentSince = 0
    if (!this.#corked) {
      this.#corked = true
      this.#raw.cork()
      process.nextTick(() => this.#uncork())
    }
    this.#raw.write(text)
  }

  #uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this.#raw.uncork()
  }

  #drained(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (drained: boolean) => {
        clearTimeout(timer)
        this.#raw.off('drain', onDrain).off('close', onClose)
        resolve(drained)
      }
      const onDrain = () => settle(true)
      const onClose = () => settle(false)
      const timer = setTimeout(onClose, this.#limits.streamStallMs)
      this.#raw.once('drain', onDrain).once('close', onClose)
    })
  }
}
