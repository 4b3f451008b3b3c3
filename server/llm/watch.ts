/** One request under watch: silence has limits that differ by phase, and the first thing to go wrong is what is told. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { ModelLimits } from './types.ts'

export interface Watch {
  /** Aborts when the caller aborts or the watch fails. */
  readonly signal: AbortSignal
  /** What went wrong first, or null. */
  readonly problem: Refusal | null
  /** The answer was complete and only the end of the connection was missing. */
  readonly finished: boolean
  connected(): void
  /** Something arrived that brings the answer forward. A comment does not. */
  progress(): void
  /** The model has stopped; a usage chunk may follow, a silent connection is no failure any more. */
  finishing(): void
  fail(refusal: Refusal): void
  /** Stop the clock; an answer that is not complete is let go of. */
  stop(): void
}

type Phase = 'connecting' | 'starting its answer' | 'answering' | 'closing'

/** How long a connection may stay open after the model has stopped, in milliseconds. */
const closingMs = 2_000

export function createWatch(limits: ModelLimits, signal: AbortSignal): Watch {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })

  const allowed: Readonly<Record<Phase, number>> = {
    connecting: limits.connectMs,
    'starting its answer': limits.firstMs,
    answering: limits.idleMs,
    closing: closingMs,
  }
  let phase: Phase = 'connecting'
  let problem: Refusal | null = null
  let timer = setTimeout(expire, allowed[phase])

  function enter(next: Phase): void {
    phase = next
    clearTimeout(timer)
    timer = setTimeout(expire, allowed[phase])
  }

  function expire(): void {
    if (phase !== 'closing') fail(makeRefusal('endpoint_stalled', { seconds: Math.ceil(allowed[phase] / 1000), phase }))
    else abort()
  }

  function fail(refusal: Refusal): void {
    problem ??= refusal
    abort()
  }

  return {
    signal: controller.signal,
    get problem() {
      return problem
    },
    get finished() {
      return phase === 'closing'
    },
    connected() {
      if (phase === 'connecting') enter('starting its answer')
    },
    progress() {
      if (phase === 'answering') timer.refresh()
      else if (phase !== 'closing') enter('answering')
    },
    finishing() {
      if (phase !== 'closing') enter('closing')
    },
    fail,
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      if (phase !== 'closing') abort()
    },
  }
}
