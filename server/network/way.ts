/** Which way a request goes: straight, or through the proxy of the first source that names one. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { bareHost, isLoopbackHost } from './address.ts'
import { isExempt } from './exemptions.ts'
import { type ProxyAddress, readProxy } from './proxy.ts'

/** Proxies as one source names them, not yet read; null for none. */
export interface ProxyNames {
  /** For endpoints without TLS. */
  readonly http: string | null
  /** For endpoints with TLS. */
  readonly https: string | null
  /** Hosts that are reached without them. */
  readonly exempt: string
}

export type Source = (typeof sourceOrder)[number]

/** In the order in which they are asked. A source that is not there is null. */
export type Sources = Readonly<Record<Source, ProxyNames | null>>

export type Way =
  | { readonly kind: 'direct'; readonly because: 'loopback' | 'exempt' | 'no proxy' }
  | { readonly kind: 'proxy'; readonly proxy: ProxyAddress; readonly source: Source }

/** The variables, as every tool reads them: small letters first, `ALL_PROXY` where there is no other. Empty counts as unset. */
export function readProxyNames(environment: Readonly<Record<string, string | undefined>>): ProxyNames | null {
  const read = (name: string) => environment[name.toLowerCase()]?.trim() || environment[name]?.trim() || null
  const all = read('ALL_PROXY')
  const names = { http: read('HTTP_PROXY') ?? all, https: read('HTTPS_PROXY') ?? all, exempt: read('NO_PROXY') ?? '' }
  return names.http === null && names.https === null && names.exempt === '' ? null : names
}

/** The first source that names a proxy, whatever it is for, is the one whose proxies count. */
export const sourceOrder = ['environment', 'stored', 'system'] as const

export function namesProxy({ http, https }: ProxyNames): boolean {
  return http !== null || https !== null
}

function sourceInForce(sources: Sources): { readonly source: Source; readonly names: ProxyNames } | null {
  for (const source of sourceOrder) {
    const names = sources[source]
    if (names && namesProxy(names)) return { source, names }
  }
  return null
}

/**
 * Choose the way to an address.
 *
 * Contract: this machine is never reached through a proxy, whatever is set. Exempt is what the source in
 * force exempts, and what NO_PROXY of the environment does. One proxy that cannot be read is no reason to
 * go without.
 * Refuses: proxy_invalid.
 */
export function chooseWay(sources: Sources, url: URL): Result<Way> {
  if (isLoopbackHost(bareHost(url))) return ok({ kind: 'direct', because: 'loopback' })
  const found = sourceInForce(sources)
  const named = url.protocol === 'https:' ? found?.names.https : found?.names.http
  if (!found || !named) return ok({ kind: 'direct', because: 'no proxy' })
  const exempt = `${found.names.exempt} ${sources.environment?.exempt ?? ''}`
  if (isExempt(exempt, url)) return ok({ kind: 'direct', because: 'exempt' })
  const proxy = readProxy(named, placeOf[found.source])
  return proxy.ok ? ok({ kind: 'proxy', proxy: proxy.value, source: found.source }) : proxy
}

/** Where a person finds what is wrong. */
const placeOf: Readonly<Record<Source, string>> = {
  environment: 'The proxy that the environment names (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY)',
  stored: 'The proxy under Network',
  system: 'The proxy that /etc/environment names',
}
