/**
 * Bytes to and from an endpoint, by the dispatcher of the product. It adds nothing about this machine to a
 * request, follows no redirect, takes no compression, and bounds what comes back.
 */
import type { IncomingMessage } from 'node:http'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { AddressForbidden, certificateProblem, type Dispatcher, NetworkFailure } from '../network/index.ts'
import { urlBelow } from './address.ts'
import { codeIn, nonsense, quote, refusalOfStatus, unreachable } from './failures.ts'
import { failed, readBounded, type TakeBytes } from './incoming.ts'
import { keyHeader } from './providers.ts'
import type { Redaction } from './redaction.ts'
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
  send(request: Outgoing, watch: Watch, redact: Redaction['text']): Promise<Reply>
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

export interface TransportParts {
  readonly dispatcher: Pick<Dispatcher, 'send'>
  readonly version: string
  readonly limits: Pick<ModelLimits, 'wireBytes' | 'lineBytes'>
  readonly onDenied: (egress: DeniedEgress) => void
}

const errorBodyBytes = 64 * 1024

export function createTransport(parts: TransportParts): Transport {
  return {
    async send(request, watch, redact) {
      const url = urlBelow(request.endpoint.baseUrl, request.path)
      const method = request.body === null ? 'GET' : 'POST'
      const deny = (reason: DeniedEgress['reason']) => parts.onDenied({ reason, method, path: request.path })
      const outgoing = { url, method, headers: headersOf(request, parts.version), body: request.body } as const
      const sending = { signal: watch.signal, onProxy: watch.through, onConnected: watch.connected }
      const incoming = await parts.dispatcher.send(outgoing, sending).catch((cause: unknown) => {
        const reason = denialIn(cause)
        if (reason) deny(reason)
        const refusal = cause instanceof NetworkFailure ? cause.refusal : unreachable(request.endpoint.baseUrl, cause)
        throw failed(watch, refusal, cause)
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

/** Why a connection was not made, where it was this side that would not. */
function denialIn(cause: unknown): DeniedEgress['reason'] | null {
  if (cause instanceof AddressForbidden) return 'address_refused'
  return certificateProblem(cause) === null ? null : 'certificate_refused'
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400
}

async function refusalOf(incoming: IncomingMessage, redact: Redaction['text'], onError: Outgoing['onError']): Promise<Refusal> {
  const status = incoming.statusCode ?? 0
  const { text, extent } = await readStart(incoming)
  onError?.(text)
  if (isRedirect(incoming)) {
    return makeRefusal('endpoint_redirected', { location: quote(incoming.headers.location?.split('?')[0] ?? 'nowhere', redact) })
  }
  if (status < 300) return nonsense(`it answered with status ${status}`)
  const retryAfter = incoming.headers['retry-after'] ?? null
  return refusalOfStatus({ status, problem: quote(text, (said) => redact(said, extent)), retryAfter, code: codeIn(text, redact) })
}

/** As much of an error body as anyone reads; a body that breaks off is read as far as it came. */
async function readStart(incoming: IncomingMessage): Promise<ErrorBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  let extent: ErrorBody['extent'] = 'whole'
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes <= errorBodyBytes) continue
      extent = 'beginning'
      break
    }
  } catch {
    // The status says more than what is missing.
    extent = 'beginning'
  }
  return { text: Buffer.concat(chunks).toString('utf8'), extent }
}

interface ErrorBody {
  readonly text: string
  readonly extent: 'whole' | 'beginning'
}
