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

/** A model as an endpoint lists it: its id, and its context in tokens where the list says it. */
export interface ListedModel {
  readonly id: string
  readonly window: number | null
}

/**
 * Ask an endpoint for the ids of its models, in its own order.
 *
 * Refuses: provider_address_invalid and the `endpoint_*` family.
 */
export async function listModels(asking: Asking, endpoint: Endpoint, signal: AbortSignal): Promise<Result<readonly string[]>> {
  const listed = await readModels(asking, endpoint, signal)
  return listed.ok ? ok(listed.value.map(({ id }) => id)) : listed
}

/** As `listModels`, with what the list says about each. */
export async function readModels(
  asking: Asking,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Result<readonly ListedModel[]>> {
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
function modelsIn(body: unknown): ListedModel[] | null {
  const list = isRecord(body) ? (body['data'] ?? body['models']) : body
  if (!Array.isArray(list)) return null
  const models = new Map<string, ListedModel>()
  for (const entry of list as readonly unknown[]) {
    const id = isRecord(entry) ? (entry['id'] ?? entry['name']) : entry
    if (typeof id === 'string' && id !== '' && !models.has(id)) models.set(id, { id, window: windowIn(entry) })
    if (models.size === mostModels) break
  }
  return [...models.values()]
}

/** What is loaded goes before what a model could do. */
const windowFields = ['loaded_context_length', 'context_window', 'max_model_len', 'context_length', 'max_context_length']

function windowIn(entry: unknown): number | null {
  if (!isRecord(entry)) return null
  const stated = windowFields.map((field) => entry[field]).find((value) => Number.isSafeInteger(value) && (value as number) > 0)
  return (stated as number | undefined) ?? null
}
