/** One call over fetch: build the request from the operation, read the reply into a result. */
import { pathParameters } from '../define/index.ts'
import { makeRefusal, ok, type Result, refusalReplySchema } from '../refusals/index.ts'

export interface Transport {
  /** Origin of the server, without a trailing slash; `''` for the page's own. */
  readonly origin: string
  readonly fetch: typeof globalThis.fetch
  /** Credentials for each request: the token header, or `Authorization`. */
  readonly headers: () => Readonly<Record<string, string>>
}

/** What is needed to call an operation: the declaration has it, and so has the served schema. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** Full path, parameters still named. */
  readonly path: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Makes a repeated call return the first answer. */
  readonly idempotencyKey?: string
}

export async function callOperation<T>(
  transport: Transport,
  route: Route,
  call: CallOptions & { readonly input: Readonly<Record<string, unknown>> },
): Promise<Result<T>> {
  const { url, body } = buildRequest(transport, route, call.input)
  const headers: Record<string, string> = { accept: 'application/json', ...transport.headers() }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (call.idempotencyKey) headers['idempotency-key'] = call.idempotencyKey
  try {
    const response = await transport.fetch(url, {
      method: route.method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(call.signal ? { signal: call.signal } : {}),
    })
    return await readReply<T>(response)
  } catch (cause) {
    return { ok: false, refusal: makeRefusal('server_unreachable', { problem: String(cause) }) }
  }
}

/** Put path parameters into the path, and the rest into the query string or the body. */
export function buildRequest(
  transport: Transport,
  route: Route,
  input: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly body?: string } {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  let path = route.path
  for (const name of pathParameters(route.path)) {
    path = path.replace(`:${name}`, encodeURIComponent(String(rest.get(name) ?? '')))
    rest.delete(name)
  }
  if (route.method === 'POST') return { url: transport.origin + path, body: JSON.stringify(Object.fromEntries(rest)) }
  const search = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString()
  return { url: transport.origin + path + (search ? `?${search}` : '') }
}

/** A 2xx body is the value; anything else must be a refusal, and what is neither is a fault of the server. */
export async function readReply<T>(response: Response): Promise<Result<T>> {
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && body !== null) return ok(body as T)
  const refusal = refusalReplySchema.safeParse(body)
  if (refusal.success) return { ok: false, refusal: refusal.data.refusal }
  return { ok: false, refusal: makeRefusal('server_fault', { fault: `status ${response.status}` }) }
}
