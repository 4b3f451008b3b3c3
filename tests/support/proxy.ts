/**
 * A real forward proxy on a free loopback port: CONNECT tunnels and absolute-form requests, both led to one
 * port of this machine whatever name they ask for. It notes what it saw.
 */
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Certified } from './certificates.ts'

export interface TestProxy extends AsyncDisposable {
  readonly port: number
  /** `CONNECT models.test:443`, `POST http://models.lan/v1/…`, in order. */
  readonly seen: readonly string[]
  /** Everything that went through tunnels, both ways, as it came. */
  readonly carried: () => Buffer
  /** Tunnels that are still open. */
  readonly open: () => number
  /** Settles when the n-th request has arrived, counted from 1. */
  arrived(count: number): Promise<void>
}

export interface ProxyOptions {
  /** Where everything is led. */
  readonly to: number
  /** `user:password`; whoever does not show it gets 407. */
  readonly credentials?: string
  /** In place of a tunnel: this status, or nothing at all. */
  readonly answers?: number | 'nothing'
  /** Reached with TLS. */
  readonly tls?: Certified
}

export async function startProxy({ to, credentials, answers, tls }: ProxyOptions): Promise<TestProxy> {
  const seen: string[] = []
  const carried: Buffer[] = []
  const sockets = new Set<Socket>()
  let tunnels = 0
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const note = (incoming: IncomingMessage) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    for (const { count, resolve } of waiting) if (seen.length >= count) resolve()
  }
  const wanted = credentials === undefined ? null : `Basic ${Buffer.from(credentials).toString('base64')}`
  const refused = (incoming: IncomingMessage) => {
    if (typeof answers === 'number') return answers
    return wanted !== null && incoming.headers['proxy-authorization'] !== wanted ? 407 : null
  }

  const server: Server = tls ? createSecureServer(tls) : createServer()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    note(incoming)
    client.on('error', () => undefined)
    if (answers === 'nothing') return
    const status = refused(incoming)
    if (status !== null) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const inside = connect(to, '127.0.0.1', () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    tunnels += 1
    client.once('close', () => {
      tunnels -= 1
      inside.destroy()
    })
    inside.on('error', () => client.destroy())
    for (const side of [client, inside]) side.on('data', (bytes: Buffer) => carried.push(bytes))
    client.pipe(inside).pipe(client)
  })
  server.on('request', (incoming, response) => {
    note(incoming)
    if (answers === 'nothing') return
    const status = refused(incoming)
    if (status !== null) return void response.writeHead(status).end()
    const { pathname, search } = new URL(incoming.url ?? '')
    const { 'proxy-authorization': _, ...headers } = incoming.headers
    const options = { port: to, host: '127.0.0.1', method: incoming.method, path: pathname + search, headers }
    incoming.pipe(forward(options, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    carried: () => Buffer.concat(carried),
    open: () => tunnels,
    arrived: (count) => (seen.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }))),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
