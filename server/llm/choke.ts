/**
 * The last look at a request's size before it leaves: what is said twice is said once, and what
 * cannot fit is refused instead of sent.
 */
import { estimateRequest, leaveOutRepeats } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelRequest } from '@bridlewise/shared/wire'

/**
 * Make a request as small as it can be without losing anything.
 *
 * Contract: of identical long tool results the newest stays whole; pairing and order stay.
 * `window` is what the model takes, in tokens, or null when nobody knows.
 * Refuses: context_irreducible.
 */
export function choke(request: ModelRequest, window: number | null): Result<ModelRequest> {
  const smaller = { ...request, messages: leaveOutRepeats(request.messages) }
  const needed = estimateTokens(smaller)
  if (window === null || needed <= window) return ok(smaller)
  const fixed = estimateRequest({ messages: request.messages.filter(({ role }) => role === 'system'), tools: request.tools })
  return refuse('context_irreducible', { needed, limit: window, fixed })
}

/** A rough count, corrected by what this endpoint and model reported before. */
export function estimateTokens(request: Pick<ModelRequest, 'messages' | 'tools' | 'correction'>): number {
  return Math.ceil(estimateRequest(request) * (request.correction ?? 1))
}
