/** One key for one wish: what got no answer is sent again under the same key, so the server can tell it is the same. */
import type { Result } from '@bridlewise/shared/refusals'

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

/**
 * Call under the key of this wish.
 *
 * Contract: of two calls at once with one input the server does one, and both get its answer.
 */
export async function callOnce<T>(
  attempt: Attempt,
  input: object,
  call: (options: { readonly idempotencyKey: string }) => Promise<Result<T>>,
): Promise<Result<T>> {
  const reply = await call({ idempotencyKey: attempt.keyFor(input) })
  if (reply.ok || reply.refusal.code !== 'server_unreachable') attempt.answered()
  return reply
}
