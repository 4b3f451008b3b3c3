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
  /** What is connected to is a proxy in between. */
  through(proxy: string): void
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

/** Told once in each silence that lasts: what is waited for, and for how many more milliseconds. */
export type OnSilence = (what: 'connection' | 'answer' | 'words', leftMs: number) => void

const waitedFor = { connecting: 'connection', 'starting its answer': 'answer', answering: 'words' } as const

/** How long a connection may stay open after the model has stopped, in milliseconds. */
const closingMs = 2_000

export function createWatch(limits: ModelLimits, signal: AbortSignal, onSilence: OnSilence = () => undefined): Watch {
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
  /** Goes with the phase where that says where the time was lost. */
  let way = ''
  let problem: Refusal | null = null
  /** One timer for both: it runs to the notice first, and from there to the limit. */
  let timer = begin()
  let noticed = false

  function begin(): NodeJS.Timeout {
    const early = phase !== 'closing' && limits.noticeMs < allowed[phase]
    return early ? setTimeout(notice, limits.noticeMs) : setTimeout(expire, allowed[phase])
  }

  function again(): void {
    clearTimeout(timer)
    noticed = false
    timer = begin()
  }

  function enter(next: Phase): void {
    phase = next
    again()
  }

  function notice(): void {
    const leftMs = allowed[phase] - limits.noticeMs
    noticed = true
    timer = setTimeout(expire, leftMs)
    if (phase !== 'closing') onSilence(waitedFor[phase], leftMs)
  }

  function expire(): void {
    const where = phase === 'connecting' ? `${phase}${way}` : phase
    if (phase !== 'closing') fail(makeRefusal('endpoint_stalled', { seconds: Math.ceil(allowed[phase] / 1000), phase: where }))
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
    through(proxy) {
      way = ` through the proxy ${proxy}`
    },
    connected() {
      if (phase === 'connecting') enter('starting its answer')
    },
    progress() {
      if (phase === 'answering' && !noticed) timer.refresh()
      else if (phase === 'answering') again()
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
