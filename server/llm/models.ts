/** Which models an endpoint has, and which model servers run on this machine. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { checkAddress } from './address.ts'
import { EndpointFailure, isRecord, nonsense } from './failures.ts'
import { presets } from './providers.ts'
import { createRedaction } from './redaction.ts'
import { readAll, type Transport } from './transport.ts'
import type { Discovery, Endpoint, Found, ModelLimits } from './types.ts'
import { createWatch } from './watch.ts'

/** More than any list a person can choose from. */
const mostModels = 2_000

export interface Asking {
  readonly transport: Transport
  readonly limits: ModelLimits
}

/**
 * Ask an endpoint for its models, in its own order.
 *
 * Refuses: provider_address_invalid and the `endpoint_*` family.
 */
export async function listModels(asking: Asking, endpoint: Endpoint, signal: AbortSignal): Promise<Result<readonly string[]>> {
  const address = checkAddress(endpoint.baseUrl)
  if (!address.ok) return address
  const watch = createWatch(asking.limits, signal)
  const redaction = createRedaction(endpoint.apiKey ? [endpoint.apiKey] : [])
  try {
    const request = {
      endpoint: { ...endpoint, baseUrl: address.value },
      path: '/models',
      body: null,
      accept: 'application/json',
    } as const
    const reply = await asking.transport.send(request, watch, redaction.text)
    const models = modelsIn(JSON.parse(await readAll(reply, watch)))
    return models ? ok(models) : { ok: false, refusal: nonsense('its list of models cannot be read') }
  } catch (thrown) {
    const refusal = watch.problem ?? EndpointFailure.of(thrown)
    if (!refusal && !(thrown instanceof SyntaxError) && !signal.aborted) throw thrown
    return { ok: false, refusal: refusal ?? nonsense('its list of models is not JSON') }
  } finally {
    watch.stop()
  }
}

/** Ask the ports that model servers use by default, all at once. */
export async function discover(asking: Asking, signal: AbortSignal): Promise<Discovery> {
  const hasty = { ...asking, limits: { ...asking.limits, connectMs: 400, firstMs: 1_000, idleMs: 1_000 } }
  const servers = presets.filter(({ local, baseUrl }) => local && baseUrl !== '')
  const answers = await Promise.all(
    servers.map(async ({ kind, name, baseUrl }) => {
      const models = await listModels(hasty, { kind, baseUrl, apiKey: null }, signal)
      return { found: { kind, name, baseUrl, models: models.ok ? models.value : [] }, models }
    }),
  )
  const found: Found[] = answers.filter(({ models }) => models.ok).map((answer) => answer.found)
  const asked = answers.map(({ found: { name, baseUrl }, models }) => ({ name, baseUrl, answer: answerOf(models) }))
  return { found, asked }
}

function answerOf(models: Result<readonly string[]>): string {
  if (models.ok) return models.value.length === 1 ? '1 model' : `${models.value.length} models`
  return models.refusal.code === 'endpoint_unreachable' ? 'nothing listens there' : models.refusal.message
}

/** `{ data: [{ id }] }`, `{ models: [{ name }] }` or a bare list; null for anything else. */
function modelsIn(body: unknown): string[] | null {
  const list = isRecord(body) ? (body['data'] ?? body['models']) : body
  if (!Array.isArray(list)) return null
  const ids = list.map((entry: unknown) => (isRecord(entry) ? (entry['id'] ?? entry['name']) : entry))
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && id !== ''))].slice(0, mostModels)
}
