/** One clock for every counter on screen. It ticks only while something reads it. */
import { createSubscriber } from 'svelte/reactivity'

class Clock {
  readonly #subscribe: () => void
  #now = Date.now()

  constructor(everyMs: number) {
    this.#subscribe = createSubscriber((update) => {
      this.#now = Date.now()
      const timer = setInterval(() => {
        this.#now = Date.now()
        update()
      }, everyMs)
      return () => clearInterval(timer)
    })
  }

  /** Milliseconds since 1970; reading it in an effect or a template subscribes to the ticks. */
  get now(): number {
    this.#subscribe()
    return this.#now
  }
}

export const everySecond = new Clock(1000)
export const everyHalfMinute = new Clock(30_000)
