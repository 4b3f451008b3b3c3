/** Work that takes its turn: so much at once, so much waiting, and the rest is turned away. */

/** Contract: those that wait go in the order they came; null for one that found too many waiting, and its work is not begun. */
export function createTurns(most: { readonly atOnce: number; readonly waiting: number }) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (running === most.atOnce && waiting.length === most.waiting) return null
    if (running === most.atOnce) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await work()
    } finally {
      // A waiting one takes over the place, so the count stays.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
