/**
 * Model events on their way from the wire to their reader. What arrived together is handed on
 * together, words beside words as one event: each hand-over costs every layer above, and a fast
 * model sends dozens of words in one packet.
 */
import type { ModelEvent } from '@bridlewise/shared/wire'

export interface Arrivals extends AsyncIterable<ModelEvent> {
  /** Contract: never waits; the first event after a silence is handed on at once. */
  add(event: ModelEvent): void
  /** Nothing more will come. What was added before is still handed on. */
  end(): void
}

/** Contract: one reader; every event once and in order. */
export function createArrivals(): Arrivals {
  let waiting: ModelEvent[] = []
  let over = false
  let changed = Promise.withResolvers<void>()

  return {
    add(event) {
      const last = waiting.at(-1)
      const joined = last && join(last, event)
      if (joined) waiting[waiting.length - 1] = joined
      else waiting.push(event)
      changed.resolve()
    },
    end() {
      over = true
      changed.resolve()
    },
    async *[Symbol.asyncIterator]() {
      while (!over || waiting.length > 0) {
        if (waiting.length === 0) {
          await changed.promise
          changed = Promise.withResolvers<void>()
        }
        const events = waiting
        waiting = []
        yield* events
      }
    },
  }
}

function join(last: ModelEvent, event: ModelEvent): ModelEvent | null {
  if (event.type === 'text' && last.type === 'text') return { type: 'text', text: last.text + event.text }
  if (event.type === 'reasoning' && last.type === 'reasoning') return { ...last, text: last.text + event.text }
  return null
}
