/** Matching a model's pattern against files, without trusting the pattern to end. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findLiteralLines, type LineHit, type SearchedText } from './find-lines.ts'

export interface PatternRequest {
  readonly pattern: string
  readonly kind: 'literal' | 'regex'
  readonly letters: 'exact' | 'any case'
}

export interface LineMatcher extends AsyncDisposable {
  /** Refuses: pattern_too_slow; the matcher is of no use after that. */
  match(texts: readonly SearchedText[]): Promise<Result<readonly LineHit[]>>
}

/** What one batch may take. A plain pattern needs milliseconds. */
export const deadlineMs = 2_000

/**
 * Make a matcher. A literal is matched here, since escaped text cannot backtrack; a regular
 * expression gets a thread of its own that is ended when it takes too long.
 *
 * Refuses: pattern_invalid.
 */
export function createLineMatcher({ pattern, kind, letters }: PatternRequest): Result<LineMatcher> {
  if (pattern === '') return refuse('pattern_invalid', { problem: 'it is empty' })
  const flags = letters === 'any case' ? 'i' : ''
  if (kind === 'literal') return ok(literalMatcher(new RegExp(escapePattern(pattern), flags)))
  try {
    const { source } = new RegExp(pattern, flags)
    return ok(regexMatcher({ source, flags }, deadlineMs))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return refuse('pattern_invalid', { problem: cause.message })
  }
}

function escapePattern(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function literalMatcher(literal: RegExp): LineMatcher {
  return {
    match: async (texts) => ok(findLiteralLines(texts, literal)),
    [Symbol.asyncDispose]: async () => {},
  }
}

function regexMatcher(workerData: { readonly source: string; readonly flags: string }, limitMs: number): LineMatcher {
  const worker = new Worker(new URL('./regex-worker.ts', import.meta.url), { workerData, env: {}, execArgv: [] })
  return {
    match: async (texts) => {
      worker.postMessage(texts)
      try {
        const [hits] = (await once(worker, 'message', { signal: AbortSignal.timeout(limitMs) })) as [readonly LineHit[]]
        return ok(hits)
      } catch (cause) {
        if (!(cause instanceof Error) || cause.name !== 'AbortError') throw cause
        return refuse('pattern_too_slow', { seconds: limitMs / 1000 })
      }
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate()
    },
  }
}
