/** Chance that can be had again: the same seed always throws the same. */

export interface Dice {
  /** From 0 up to `below`, which is not thrown. */
  number(below: number): number
  pick<T>(values: readonly T[]): T
}

export function createDice(seed: number): Dice {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  const number = (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  return { number, pick: <T>(values: readonly T[]) => values[number(values.length)] as T }
}
