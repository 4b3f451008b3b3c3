/**
 * Chunks that arrive together are handed on together. A fast model sends dozens in one packet, and
 * each hand-over costs every layer above; the first chunk after a silence is handed on at once.
 */

/**
 * Read a source ahead and give out what is there.
 *
 * Contract: every chunk once and in order, none held back while the source is silent. `arrive` is
 * called for each when it comes, however busy the reader is. An error of the source comes after the
 * chunks before it. Leaving early asks the source to end and does not wait for it.
 */
export async function* gather<T>(source: AsyncIterable<T>, arrive: () => void): AsyncGenerator<readonly T[]> {
  const iterator = source[Symbol.asyncIterator]()
  let arrived: T[] = []
  let over = false
  let changed = Promise.withResolvers<void>()

  const read = async () => {
    try {
      for (let next = await iterator.next(); !next.done && !over; next = await iterator.next()) {
        arrived.push(next.value)
        arrive()
        changed.resolve()
      }
    } finally {
      over = true
      changed.resolve()
    }
  }

  const reading = read()
  // Its failure is told below, once what came before it was given out.
  reading.catch(() => undefined)
  try {
    while (!over || arrived.length > 0) {
      if (arrived.length > 0) {
        const chunks = arrived
        arrived = []
        yield chunks
        // What is in the same packet is read within this turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
      } else {
        await changed.promise
        changed = Promise.withResolvers<void>()
      }
    }
    await reading
  } finally {
    over = true
    // A source that waits for its next chunk cannot be returned before that comes; its owner aborts it.
    iterator.return?.().catch(() => undefined)
  }
}
