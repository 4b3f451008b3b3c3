/**
 * The one place that opens a connection to somewhere else. Whoever sends something for the product has it
 * sent here: by the proxy that is in force or straight, to an address that was checked, with certificates
 * that were checked. It adds no header, follows no redirect and tries nothing twice.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AddressForbidden, bareHost, isForbidden, isLocal } from './address.ts'
import { type Agents, createAgents } from './agents.ts'
import type { Authority } from './authorities.ts'
import { type OutgoingRequest, type Sending, sendPlainly, sendStraight, sendTunnelled } from './exchange.ts'
import { NetworkFailure } from './failures.ts'
import { type ProxyAddress, readProxy, secretsOf } from './proxy.ts'
import { chooseWay, namesProxy, type ProxyNames, type Source, type Sources, sourceOrder } from './way.ts'

const tls = process.getBuiltinModule('node:tls')

/** What somebody with the right to it set, or nothing of it. */
export interface NetworkSettings {
  readonly proxy: ProxyNames | null
  readonly authorities: readonly Authority[]
}

export interface DispatcherParts {
  readonly environment: ProxyNames | null
  readonly system: ProxyNames | null
  /** Of NODE_EXTRA_CA_CERTS, which Node read at its start. */
  readonly authoritiesFile: string | null
  /** Contract: asked when a setting may have changed, not at each request. */
  readonly settings: () => NetworkSettings
}

/** The proxies of one source, without what opens them. */
export interface NamedProxies {
  readonly source: Source
  /** By what it is for; a sentence in place of one that cannot be read. */
  readonly http: string | null
  readonly https: string | null
  /** Whether one of them is opened with a name or a password. */
  readonly opened: boolean
  /** Hosts that are reached without them, also those that the environment exempts from every source. */
  readonly exempt: string
}

export interface NetworkFacts {
  /** Null when no source names a proxy. */
  readonly proxy: NamedProxies | null
  /** Of every source that names one, in the order in which they are asked. */
  readonly named: readonly NamedProxies[]
  readonly authorities: {
    readonly stored: readonly Authority[]
    /** Whether Node was told of a bundle, and how many certificates it has from there. */
    readonly named: boolean
    readonly fromEnvironment: number
  }
  /** Requests since the start, and where the last proxy was that was really connected to. */
  readonly sent: { readonly direct: number; readonly proxied: number; readonly lastProxy: string | null }
}

export interface Dispatcher {
  /**
   * Send one request and get the head of the answer.
   *
   * Contract: one attempt. The address that was checked is the one that is connected to: the endpoint's,
   * or with a proxy the proxy's. Rejects with `NetworkFailure` for what the proxy did or cannot be, with
   * `AddressForbidden`, or with the error of the connection.
   */
  send(request: OutgoingRequest, sending: Sending): Promise<IncomingMessage>
  /** Take over changed settings. Contract: what is under way goes on as it began; nothing later uses the old ones. */
  renew(): void
  facts(): NetworkFacts
  /** What opens the proxies: no text with one of these may leave or be shown. */
  secrets(): readonly string[]
  /** End every connection. */
  close(): void
}

/** Contract: it connects to nothing, and reads nothing, until it is asked to. */
export function createDispatcher({ environment, system, settings, authoritiesFile }: DispatcherParts): Dispatcher {
  let kept: Lines | null = null
  const sent = { direct: 0, proxied: 0, lastProxy: null as string | null }
  const lines = (): Lines => {
    if (kept === null) {
      const now = settings()
      const onProxied = (address: string) => {
        sent.lastProxy = address
      }
      const sources = { environment, stored: now.proxy, system }
      kept = { settings: now, sources, agents: createAgents(now.authorities, onProxied) }
    }
    return kept
  }

  return {
    async send(request, sending) {
      checkTarget(request.url)
      const { sources, agents } = lines()
      const way = chooseWay(sources, request.url)
      if (!way.ok) throw new NetworkFailure(way.refusal)
      if (way.value.kind === 'direct') {
        sent.direct += 1
        return sendStraight(request, agents, sending)
      }
      const { proxy } = way.value
      sent.proxied += 1
      sending.onProxy(proxy.place)
      const through = { request, proxy, agents }
      return request.url.protocol === 'https:' ? sendTunnelled(through, sending) : sendPlainly(through, sending)
    },
    renew() {
      kept?.agents.letGo()
      kept = null
    },
    facts: () => describe(lines(), { sent: { ...sent }, named: authoritiesFile !== null }),
    secrets: () => readable(Object.values(lines().sources)).flatMap(secretsOf),
    close() {
      kept?.agents.destroy()
      kept = null
    },
  }
}

interface Lines {
  readonly sources: Sources
  readonly settings: NetworkSettings
  readonly agents: Agents
}

/** No policy of an address depends on who typed it: it is held again here, whatever way it goes. A name is held when it is resolved. */
function checkTarget(url: URL): void {
  const host = bareHost(url)
  if (!isIP(host)) return
  const allowed = !isForbidden(host) && (url.protocol === 'https:' || isLocal(host))
  if (!allowed) throw new AddressForbidden(`${host} is an address that is not contacted`)
}

function describe(
  { sources, settings }: Lines,
  { sent, named }: Pick<NetworkFacts, 'sent'> & { readonly named: boolean },
): NetworkFacts {
  const all = sourceOrder.flatMap((source) => describeSource(sources, source))
  return {
    proxy: all[0] ?? null,
    named: all,
    authorities: { stored: settings.authorities, named, fromEnvironment: tls.getCACertificates('extra').length },
    sent,
  }
}

/** Nothing for a source that names no proxy. */
function describeSource(sources: Sources, source: Source): NamedProxies[] {
  const names = sources[source]
  if (!names || !namesProxy(names)) return []
  const place = (text: string | null) => {
    const read = text === null ? null : readProxy(text, 'It')
    return read === null ? null : read.ok ? read.value.place : read.refusal.message
  }
  const everywhere = source === 'environment' ? '' : (sources.environment?.exempt ?? '')
  return [
    {
      source,
      http: place(names.http),
      https: place(names.https),
      opened: readable([names]).some(({ credentials }) => credentials !== null),
      exempt: `${names.exempt} ${everywhere}`.trim(),
    },
  ]
}

/** The proxies that can be read: also those that are not in force may have been shown to somebody. */
function readable(all: readonly (ProxyNames | null)[]): readonly ProxyAddress[] {
  return all
    .flatMap((names) => [names?.http ?? null, names?.https ?? null])
    .flatMap((text) => {
      const read = text === null ? null : readProxy(text, 'It')
      return read?.ok ? [read.value] : []
    })
}
