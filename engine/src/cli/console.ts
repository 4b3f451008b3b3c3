/** Where a command writes: what is asked for on the one, what people like to know on the other. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Exit codes, as the usage text and the README list them. */
export const exits = { fine: 0, failed: 1, usage: 2, broke: 70 } as const
