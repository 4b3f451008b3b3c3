/**
 * A redactor that neither holds up whoever runs it nor lets a text pass because it was too much work.
 *
 * A short text costs less than starting anything and is done in place, with a pause after so many
 * characters. A long one goes to a thread of its own, which is ended when it takes too long.
 */
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { createRedactor, type Redaction } from './redactor.ts'
import type { RedactorSettings } from './replacements.ts'

export interface BoundedRedactor {
  /**
   * As `Redactor.redact`, for a text of any length.
   *
   * Contract: fails closed, also when told to stop; texts come back in the order they were given.
   * Refuses: redaction_failed, after which the next text is tried anew.
   */
  redact(text: string, signal?: AbortSignal): Promise<Result<Redaction>>
  /** End the thread, if one runs. It ends by itself when nothing is asked of it for a while. */
  close(): Promise<void>
}

export interface RedactionLimits {
  /** What is done in place, in UTF-16 units; also how much between two pauses. */
  readonly inlineLength: number
  /** What one text may take on the thread. */
  readonly deadlineMs: number
  /** How long a thread without work is kept. */
  readonly idleMs: number
}

/** In a program just started the most hostile of the texts tested take about 2 ms for 1,000 characters, ordinary ones less than a tenth of that. */
export const redactionLimits: RedactionLimits = { inlineLength: 16 * 1024, deadlineMs: 10_000, idleMs: 5_000 }

/** Make the redactor of one run. Contract: makes no thread before a long text comes. */
export function createBoundedRedactor(settings: RedactorSettings, limits: RedactionLimits = redactionLimits): BoundedRedactor {
  const inPlace = createRedactor(settings)
  const thread = createThread(settings, limits)
  let sincePause = 0
  let last: Promise<unknown> = Promise.resolve()

  const redactNext = async (text: string, signal?: AbortSignal): Promise<Result<Redaction>> => {
    if (text.length > limits.inlineLength) return thread.redact(text, signal)
    if (sincePause + text.length > limits.inlineLength) {
      sincePause = 0
      await setImmediate()
    }
    sincePause += text.length
    return ok(inPlace.redact(text))
  }

  return {
    redact(text, signal) {
      const next = last.then(() => redactNext(text, signal))
      last = next.catch(() => undefined)
      return next
    },
    close: () => thread.end(),
  }
}

function createThread(settings: RedactorSettings, limits: RedactionLimits) {
  let running: Running | null = null
  let idle: NodeJS.Timeout | undefined

  const end = async () => {
    clearTimeout(idle)
    const ended = running
    running = null
    await ended?.worker.terminate()
  }

  return {
    end,
    async redact(text: string, stop?: AbortSignal): Promise<Result<Redaction>> {
      clearTimeout(idle)
      running ??= start(settings)
      const { worker, gone } = running
      const signal = AbortSignal.any([AbortSignal.timeout(limits.deadlineMs), gone, ...(stop ? [stop] : [])])
      worker.ref()
      worker.postMessage(text)
      try {
        const [redaction] = (await once(worker, 'message', { signal })) as [Redaction]
        worker.unref()
        idle = setTimeout(end, limits.idleMs).unref()
        return ok(redaction)
      } catch (cause) {
        const late = cause instanceof Error && cause.name === 'AbortError' && !gone.aborted
        await end()
        if (stop?.aborted) return refuse('redaction_failed', { problem: 'It was told to stop.' })
        return refuse('redaction_failed', { problem: late ? 'It took too long.' : 'Its thread ended.' })
      }
    },
  }
}

interface Running {
  readonly worker: Worker
  /** Aborted when the thread is no more, for whatever reason. */
  readonly gone: AbortSignal
}

function start(workerData: RedactorSettings): Running {
  const resourceLimits = { maxOldGenerationSizeMb: 512 }
  const worker = new Worker(new URL('./redactor-thread.ts', import.meta.url), {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits,
  })
  const controller = new AbortController()
  worker.once('exit', () => controller.abort())
  // Whoever waits for a text is told by `once`; without anybody waiting it must not end the program.
  worker.on('error', () => controller.abort())
  return { worker, gone: controller.signal }
}
