/** Runs a tool so that neither a deadline nor a cancelled run ever waits for it for long. */
import { aborted, raceAbort } from './abort.ts'

export interface Deadline {
  readonly ms: number
  /** How long a tool may take to stop once it was told to, and to say what it did. */
  readonly graceMs: number
}

export type Settled<T> =
  | { readonly kind: 'settled'; readonly value: T }
  | { readonly kind: 'threw'; readonly fault: unknown }
  /** It was told to stop and broke off, or did not stop at all. What it did is unknown. */
  | { readonly kind: 'abandoned'; readonly because: 'cancelled' | 'timed_out' }

/** Contract: settles at most `ms + graceMs` after the start, and at most `graceMs` after `signal` aborts. */
export async function runUntil<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, graceMs }: Deadline,
  signal: AbortSignal,
): Promise<Settled<T>> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  const stop = AbortSignal.any([signal, late.signal])
  const patience = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const startGrace = () => {
    grace = setTimeout(() => patience.abort(), graceMs)
  }
  if (stop.aborted) startGrace()
  else stop.addEventListener('abort', startGrace, { once: true })
  try {
    const value = await raceAbort(work(stop), patience.signal)
    if (value !== aborted) return { kind: 'settled', value }
  } catch (fault) {
    if (!stop.aborted) return { kind: 'threw', fault }
  } finally {
    clearTimeout(timer)
    clearTimeout(grace)
    stop.removeEventListener('abort', startGrace)
  }
  return { kind: 'abandoned', because: signal.aborted ? 'cancelled' : 'timed_out' }
}
