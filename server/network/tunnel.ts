/**
 * A way through a proxy for one connection: CONNECT (RFC 9110, 9.3.6), and inside it TLS with the endpoint
 * itself. The proxy learns a name, a port and how much is said; it cannot read or change it.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { guardedLookup } from './address.ts'
import { NetworkFailure, refusedBy, unreachableProxy } from './failures.ts'
import { authorizationOf, type ProxyAddress } from './proxy.ts'

const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const tls = process.getBuiltinModule('node:tls')

export interface TunnelTarget {
  readonly host: string
  readonly port: number
}

export interface TunnelParts {
  readonly proxy: ProxyAddress
  readonly trust: SecureContext
  /** Told of the address that was connected to. */
  readonly onConnected: (address: string) => void
}

/**
 * Connect to a target through a proxy.
 *
 * Contract: when it resolves the target has shown a certificate for its own name. The proxy's name is
 * resolved here and its address checked; the target's is resolved by the proxy, so nothing is known here
 * of where that leads. Aborting leaves no connection behind.
 * Rejects with a `NetworkFailure` for what the proxy did, with the error of the connection otherwise.
 */
export async function openTunnel(parts: TunnelParts, target: TunnelTarget, signal: AbortSignal): Promise<TLSSocket> {
  const socket = await connectThrough(parts, target, signal)
  return await new Promise((resolve, reject) => {
    const inside = tls.connect({
      socket,
      servername: serverNameOf(target.host),
      host: target.host,
      secureContext: parts.trust,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    })
    const abort = () => inside.destroy(new Error('aborted'))
    const settle = (failure: Error | null) => {
      signal.removeEventListener('abort', abort)
      if (failure === null) return resolve(inside)
      inside.destroy()
      socket.destroy()
      reject(failure)
    }
    signal.addEventListener('abort', abort, { once: true })
    inside.once('secureConnect', () => settle(null))
    inside.once('error', settle)
    inside.once('close', () => settle(unreachableProxy(parts.proxy, Object.assign(new Error('closed'), { code: 'ECONNRESET' }))))
    if (signal.aborted) abort()
  })
}

function connectThrough({ proxy, trust, onConnected }: TunnelParts, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const authority = `${isName(target.host) ? target.host : bracketed(target.host)}:${target.port}`
  return new Promise((resolve, reject) => {
    const request = (proxy.secure ? https : http).request({
      method: 'CONNECT',
      host: proxy.host,
      port: proxy.port,
      path: authority,
      headers: { host: authority, ...authorizationOf(proxy) },
      agent: false,
      lookup: guardedLookup(true),
      signal,
      ...(proxy.secure ? { secureContext: trust, rejectUnauthorized: true, servername: serverNameOf(proxy.host) } : {}),
    })
    request.once('connect', (answer: IncomingMessage, socket: Socket, early: Buffer) => {
      const status = answer.statusCode ?? 0
      // Nobody speaks before the greeting of TLS does; whoever does is no tunnel.
      if (status >= 200 && status < 300 && early.length === 0) {
        onConnected(`${socket.remoteAddress}:${socket.remotePort}`)
        return resolve(socket)
      }
      socket.destroy()
      reject(refusedBy(proxy, status))
    })
    // An answer to CONNECT always comes as above.
    request.once('error', (cause) => reject(cause instanceof NetworkFailure ? cause : unreachableProxy(proxy, cause)))
    request.end()
  })
}

/** Whom to ask for when TLS begins: addresses have no name. Node would take the name that the request is for. */
export function serverNameOf(host: string): string {
  return isName(host) ? host : ''
}

function isName(host: string): boolean {
  return !host.includes(':') && !/^[\d.]+$/.test(host)
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
