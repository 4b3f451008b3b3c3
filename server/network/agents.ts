/** Connections that are kept for the next request, straight and through proxies, all with the same trust. */
import type { Agent } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import type { Authority } from './authorities.ts'
import type { ProxyAddress } from './proxy.ts'
import { openTunnel, type TunnelTarget } from './tunnel.ts'

// An import of these modules reads each of their exports, and one of those loads the whole of undici: 8 MB at start.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const tls = process.getBuiltinModule('node:tls')

export interface Agents {
  readonly plain: Agent
  readonly secure: SecureAgent
  /** Connections through one proxy; a request that is sent over it carries `until`. */
  tunnel(proxy: ProxyAddress): SecureAgent
  /** Close what is idle; what is in use ends with its use. */
  letGo(): void
  destroy(): void
}

/** Goes with a request through a tunnel: Node keeps its own signal from whoever makes the connection. */
export interface TunnelOptions {
  readonly until: AbortSignal
}

/** Idle connections are given up before most servers do, so that a request never meets a closing one. */
const idleMs = 4_000

export function createAgents(authorities: readonly Authority[], onProxied: (address: string) => void): Agents {
  const added = authorities.map(({ pem }) => pem)
  // A list of one's own stands in place of the runtime's, so it holds that, too.
  const ca = added.length === 0 ? {} : { ca: [...tls.getCACertificates('default'), ...added] }
  const trust = tls.createSecureContext({ minVersion: 'TLSv1.2', ...ca })
  const kept = { keepAlive: true, timeout: idleMs } as const
  const plain = new http.Agent(kept)
  const secure = new https.Agent({ ...kept, secureContext: trust, rejectUnauthorized: true })
  const tunnels = new Map<string, SecureAgent>()
  const all = () => [plain, secure, ...tunnels.values()]

  function makeTunnels(proxy: ProxyAddress): SecureAgent {
    const agent = new https.Agent(kept)
    agent.createConnection = (options, done) => {
      const { host, port, until } = options as unknown as TunnelTarget & TunnelOptions
      openTunnel({ proxy, trust, onConnected: onProxied }, { host, port: Number(port) }, until).then(
        (socket) => done?.(null, socket),
        // The second argument is there for the type alone.
        (failure: Error) => done?.(failure, undefined as never),
      )
      return undefined
    }
    return agent
  }

  return {
    plain,
    secure,
    tunnel(proxy) {
      const known = tunnels.get(proxy.place) ?? makeTunnels(proxy)
      tunnels.set(proxy.place, known)
      return known
    },
    letGo() {
      for (const agent of all())
        for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy()
    },
    destroy() {
      for (const agent of all()) agent.destroy()
    },
  }
}
