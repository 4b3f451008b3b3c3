/** Whether an endpoint takes a key, asked before the key is stored. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Bridge, Endpoint } from '../llm/bridge.ts'

/** `not_checked`: nobody answered, or the endpoint has no list to ask for. The key may be right. */
export type KeyCheck = 'accepted' | 'not_checked'

/**
 * Ask for the list of models with a key.
 *
 * Contract: only an answer that names the key as the problem refuses it; a network that is down does not.
 * Refuses: endpoint_unauthorized.
 */
export async function checkKey(
  bridge: Pick<Bridge, 'listModels'>,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Result<KeyCheck>> {
  if (endpoint.apiKey === null) return ok('not_checked')
  const listed = await bridge.listModels(endpoint, signal)
  if (listed.ok) return ok('accepted')
  return listed.refusal.code === 'endpoint_unauthorized' ? listed : ok('not_checked')
}
