/**
 * Bytes to and from an endpoint, over node:http. It adds nothing about this machine to a request,
 * follows no redirect, takes no compression, uses no proxy, checks the address at the moment of
 * connecting, and bounds what comes back.
 */
import type { Agent, IncomingMessage } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { AddressForbidden, guardedLookup, urlBelow } from './address.ts'
import { codeIn, nonsense, quote, refusalOfStatus, unreachable } from './failures.ts'
import { failed, readBounded, type TakeBytes } from './incoming.ts'
import { keyHeader } from './providers.ts'
import type { DeniedEgress, Endpoint, ModelLimits } from './types.ts'
import type { Watch } from './watch.ts'

export interface Transport {
  /**
   * Send one request and get the head of a 200 answer.
   *
   * Contract: one attempt. Anything but 200 throws an `EndpointFailure`; so does a body that breaks
   * off or outgrows the limits, and the watch then holds the same refusal. `redact` cleans what an
   * error answer echoes.
   */
  send(request: Outgoing, watch: Watch, redact: (text: string) => string): Promise<Reply>
  close(): void
}

/** A 200 answer whose body has not been read. One that nobody reads is let go of when the watch stops. */
export interface Reply {
  /** Whether it is one document, also where events were asked for. */
  readonly whole: boolean
  /** Hand the body on as it arrives; see `readBounded`. */
  read(take: TakeBytes): Promise<void>
}

interface Outgoing {
  readonly endpoint: Endpoint
  /** Below the base address: `/chat/completions`. */
  readonly path: string
  /** Null for a GET. */
  readonly body: string | null
  readonly accept: typeof eventStream | 'application/json'
  /** Told of the body of an answer that is an error, as it came. */
  readonly onError?: (body: string) => void
}

const eventStream = 'text/event-stream'

// An import of these modules reads each of their exports, and one of those loads the whole of undici: 8 MB at start.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

export interface TransportParts {
  readonly version: string
  readonly limits: Pick<ModelLimits, 'wireBytes' | 'lineBytes'>
  readonly onDenied: (egress: DeniedEgress) => void
}

/** Idle connections are given up before most servers do, so that a request never meets a closing one. */
const idleMs = 4_000
const errorBodyBytes = 64 * 1024

export function createTransport(parts: TransportParts): Transport {
  const plain = new http.Agent({ keepAlive: true, timeout: idleMs })
  const secure = new https.Agent({ keepAlive: true, timeout: idleMs, rejectUnauthorized: true, minVersion: 'TLSv1.2' })

  return {
    async send(request, watch, redact) {
      const url = urlBelow(request.endpoint.baseUrl, request.path)
      const agents = { plain, secure }
      const deny = (reason: DeniedEgress['reason']) =>
        parts.onDenied({ reason, method: request.body === null ? 'GET' : 'POST', path: request.path })
      const incoming = await exchange(
        { url, headers: headersOf(request, parts.version), body: request.body, agents },
        watch,
      ).catch((cause: unknown) => {
        const reason = denialIn(cause)
        if (reason) deny(reason)
        throw failed(watch, unreachable(request.endpoint.baseUrl, cause), cause)
      })
      if (isRedirect(incoming)) deny('redirected')
      const type = incoming.headers['content-type'] ?? ''
      if (incoming.statusCode !== 200) throw failed(watch, await refusalOf(incoming, redact, request.onError))
      if (request.accept === eventStream && type.includes('html')) throw failed(watch, nonsense('it is a web page'))
      const coding = incoming.headers['content-encoding'] ?? 'identity'
      // None was asked for, and a few compressed bytes can stand for any number of others.
      if (coding !== 'identity') throw failed(watch, nonsense('it is compressed, which was not asked for'))
      const whole = request.accept !== eventStream || type.includes('json')
      const limits = { ...parts.limits, lineBytes: whole ? parts.limits.wireBytes : parts.limits.lineBytes }
      return { whole, read: (take) => readBounded({ message: incoming, limits }, watch, take) }
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

/** The whole body of an answer. */
export async function readAll(reply: Reply, watch: Watch): Promise<string> {
  const chunks: Buffer[] = []
  await reply.read((bytes) => {
    watch.progress()
    chunks.push(bytes)
    return 'more'
  })
  return Buffer.concat(chunks).toString('utf8')
}

function headersOf(request: Outgoing, version: string): Record<string, string | number> {
  return {
    accept: request.accept,
    'accept-encoding': 'identity',
    'user-agent': `bridlewise/${version}`,
    ...keyHeader(request.endpoint),
    ...(request.body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(request.body) }),
  }
}

interface Exchange {
  readonly url: URL
  readonly headers: Record<string, string | number>
  readonly body: string | null
  readonly agents: { readonly plain: Agent; readonly secure: SecureAgent }
}

function exchange({ url, headers, body, agents }: Exchange, watch: Watch): Promise<IncomingMessage> {
  const tls = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const options = {
      method: body === null ? 'GET' : 'POST',
      headers,
      agent: tls ? agents.secure : agents.plain,
      lookup: guardedLookup(tls),
      signal: watch.signal,
    }
    const request = (tls ? https : http).request(url, options, resolve)
    request.on('error', reject)
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once(tls ? 'secureConnect' : 'connect', () => watch.connected())
      else watch.connected()
    })
    request.end(body ?? undefined)
  })
}

/** Why a connection was not made, where it was this side that would not. */
function denialIn(cause: unknown): DeniedEgress['reason'] | null {
  if (cause instanceof AddressForbidden) return 'address_refused'
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const certificate = /^(CERT_|DEPTH_ZERO_SELF_SIGNED_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET_ISSUER)_|ERR_TLS_CERT_)/
  return certificate.test(code) ? 'certificate_refused' : null
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400
}

async function refusalOf(
  incoming: IncomingMessage,
  redact: (text: string) => string,
  onError: Outgoing['onError'],
): Promise<Refusal> {
  const status = incoming.statusCode ?? 0
  const text = await readStart(incoming)
  onError?.(text)
  if (isRedirect(incoming)) {
    return makeRefusal('endpoint_redirected', { location: quote(incoming.headers.location?.split('?')[0] ?? 'nowhere', redact) })
  }
  if (status < 300) return nonsense(`it answered with status ${status}`)
  const retryAfter = incoming.headers['retry-after'] ?? null
  return refusalOfStatus({ status, problem: quote(text, redact), retryAfter, code: codeIn(text) })
}

/** As much of an error body as anyone reads; a body that breaks off is read as far as it came. */
async function readStart(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > errorBodyBytes) break
    }
  } catch {
    // The status says more than what is missing.
  }
  return Buffer.concat(chunks).toString('utf8')
}
