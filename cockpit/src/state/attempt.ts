/** One key for one wish: what got no answer is sent again under the same key, so the server can tell it is the same. */
export interface Attempt {
  /** The key for this input: the one of the last try when that got no answer, else a fresh one. */
  keyFor(input: object): string
  /** The server has answered, with whatever; the next try is a new wish. */
  answered(): void
}

export function createAttempt(newKey: () => string): Attempt {
  let open: { readonly input: string; readonly key: string } | null = null
  return {
    keyFor(input) {
      const spelled = JSON.stringify(input)
      if (open?.input !== spelled) open = { input: spelled, key: newKey() }
      return open.key
    },
    answered() {
      open = null
    },
  }
}
