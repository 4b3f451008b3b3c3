/** What every bench needs: a median, a ratio, and one way of printing them. */

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 'MB' | '/s' | 'bytes' | '%'
  /** The yardstick measured in the same run, interleaved, and what it is. */
  readonly beside?: { readonly name: string; readonly value: number }
  /** The goal of the ratio, as PERFORMANCE puts it. */
  readonly goal?: string
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** The value that so many of a hundred do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0
}

/** Run two things in turn, so that what else the machine does falls on both alike. */
export async function interleave(
  rounds: number,
  ours: () => Promise<number>,
  yardstick: () => Promise<number>,
): Promise<{ readonly ours: number; readonly yardstick: number }> {
  const own: number[] = []
  const other: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    own.push(await ours())
    other.push(await yardstick())
  }
  return { ours: median(own), yardstick: median(other) }
}

export function print(figures: readonly Figure[]): void {
  for (const { name, value, unit, beside, goal } of figures) {
    const ratio = beside ? `  ${(value / beside.value).toFixed(2)} × ${beside.name} (${round(beside.value)} ${unit})` : ''
    console.log(`${name.padEnd(58)} ${round(value).padStart(9)} ${unit.padEnd(5)}${ratio}${goal ? `  goal ${goal}` : ''}`)
  }
}

function round(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
