/** What a list says about a read that was refused. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'

/** A lost line is said once, by the bar, and ends by itself; every other no belongs beside the list. */
export function refusalOf(reply: Result<unknown>): Refusal | null {
  return reply.ok || reply.refusal.code === 'server_unreachable' ? null : reply.refusal
}
