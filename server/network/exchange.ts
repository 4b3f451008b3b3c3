/** One request on one way, from its first byte to the head of its answer. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { guardedLookup } from './address.ts'
import type { Agents } from './agents.ts'
import { refusedBy, unreachableProxy } from './failures.ts'
import { authorizationOf, type ProxyAddress } from './proxy.ts'
import { serverNameOf } from './tunnel.ts'

const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

export interface OutgoingRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | null
}

/** What happens on the way. Aborting leaves no connection behind. */
export interface Sending {
  readonly signal: AbortSignal
  /** The way is a proxy, said before it is connected to: its place, without what opens it. */
  readonly onProxy: (place: string) => void
  /** Whoever answers is connected to, and has shown its certificate if it has one. */
  readonly onConnected: () => void
}

export interface Through {
  readonly request: OutgoingRequest
  readonly proxy: ProxyAddress
  readonly agents: Agents
}

export function sendStraight(request: OutgoingRequest, agents: Agents, sending: Sending): Promise<IncomingMessage> {
  const { url, method, headers } = request
  const secure = url.protocol === 'https:'
  const agent = secure ? agents.secure : agents.plain
  const options = { method, headers, agent, lookup: guardedLookup(secure), signal: sending.signal }
  return exchange(
    (secure ? https : http).request(url, options),
    { body: request.body, event: secure ? 'secureConnect' : 'connect' },
    sending,
  )
}

/** Contract: a proxy gets name and port, nothing of the request. */
export function sendTunnelled({ request, proxy, agents }: Through, sending: Sending): Promise<IncomingMessage> {
  const { url, method, headers } = request
  const options = { method, headers, agent: agents.tunnel(proxy), signal: sending.signal, until: sending.signal }
  return exchange(https.request(url, options), { body: request.body, event: 'secureConnect' }, sending)
}

/** An endpoint without TLS has the proxy read all of it, as it would have everybody on its network read it. */
export async function sendPlainly({ request, proxy, agents }: Through, sending: Sending): Promise<IncomingMessage> {
  const { url, method, headers } = request
  const options: RequestOptions & { readonly servername: string } = {
    method,
    host: proxy.host,
    port: proxy.port,
    servername: serverNameOf(proxy.host),
    path: `${url.origin}${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, ...authorizationOf(proxy) },
    agent: proxy.secure ? agents.secure : agents.plain,
    lookup: guardedLookup(true),
    signal: sending.signal,
  }
  const outgoing = (proxy.secure ? https : http).request(options)
  const event = proxy.secure ? 'secureConnect' : 'connect'
  const incoming = await exchange(outgoing, { body: request.body, event }, sending).catch((cause: unknown) => {
    throw unreachableProxy(proxy, cause)
  })
  if (incoming.statusCode !== 407) return incoming
  incoming.destroy()
  throw refusedBy(proxy, 407)
}

interface Exchange {
  readonly body: string | null
  /** What a socket that is still connecting says when it is there. */
  readonly event: 'connect' | 'secureConnect'
}

function exchange(outgoing: ClientRequest, { body, event }: Exchange, { onConnected }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.on('socket', (socket) => {
      if (socket.connecting) socket.once(event, onConnected)
      else onConnected()
    })
    outgoing.end(body ?? undefined)
  })
}
