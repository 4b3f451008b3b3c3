/** How a no is answered: one shape on the wire, and nothing of the inside in it. */
import { makeRefusal, type Refusal, registry } from '@bridlewise/shared/refusals'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { StorageFault } from '../storage/index.ts'
import { endConnection } from './broken.ts'
import { describeFault } from './fault.ts'
import { swallowBytes } from './limits.ts'
import { isApi } from './request.ts'

/**
 * Answer with a refusal.
 *
 * Contract: a body that was not read is swallowed up to `swallowBytes`; of a longer one, or one of
 * unknown length, the socket is closed.
 */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const raw = reply.request.raw
  reply.request.refused = refusal.code
  reply.code(registry[refusal.code].status)
  const seconds = refusal.details?.['seconds']
  if (typeof seconds === 'number' && registry[refusal.code].retry === 'later') reply.header('retry-after', String(seconds))
  if (refusal.code === 'method_not_allowed') reply.header('allow', String(refusal.details?.['allow'] ?? 'GET, HEAD, POST'))
  if (!raw.complete && !isSmall(raw.headers['content-length'])) endConnection(reply)
  if (wantsPage(reply.request)) return reply.type('text/html; charset=utf-8').send(page(refusal))
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ refusal }))
}

/**
 * Answer a fault.
 *
 * Contract: the caller learns an opaque id; what happened stands in the log under it, once.
 */
export function sendFault(reply: FastifyReply, cause: unknown): FastifyReply {
  return sendRefusal(reply, makeRefusal('server_fault', { fault: reportFault(reply.request.log, cause) }))
}

/**
 * Log a fault, and name the entry.
 *
 * Contract: the id says nothing and may be shown to anyone.
 */
export function reportFault(log: Pick<FastifyBaseLogger, 'error'>, cause: unknown): string {
  const fault = describeFault(cause)
  log.error({ fault }, 'fault')
  return fault.id
}

/** The same for a stream, which has no reply left to say it in: the witness hears of a no that has a name. */
export function reportStreamFault(request: FastifyRequest, cause: unknown): void {
  if (cause instanceof StorageFault) request.refused = cause.refusal.code
  reportFault(request.log, cause)
}

/** A refusal that a parser must throw, because it has no reply at hand. Caught in the error hook. */
export class RefusedBody extends Error {
  override readonly name = 'RefusedBody'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

/** The noes that arrive as errors: a parser's, the store's, and the framework's by its error codes. Null for a fault. */
export function refusalOf(error: unknown, limit: number): Refusal | null {
  if (error instanceof RefusedBody || error instanceof StorageFault) return error.refusal
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return makeRefusal('body_too_large', { limit })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return makeRefusal('content_type_not_json')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return makeRefusal('request_malformed', { problem: 'the body is empty' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return makeRefusal('request_malformed', { problem: 'the body has another length than was declared' })
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return makeRefusal('route_unknown')
    case 'ECONNRESET':
      return makeRefusal('request_malformed', { problem: 'the body broke off' })
    default:
      return null
  }
}

function isSmall(length: string | undefined): boolean {
  return length !== undefined && Number(length) <= swallowBytes
}

/** Somebody looks at a browser window, not a program at a reply. */
function wantsPage(request: FastifyRequest): boolean {
  return !isApi({ target: request.raw.url ?? '' }) && (request.raw.headers.accept ?? '').includes('text/html')
}

function page(refusal: Refusal): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bridlewise</title></head><body><h1>Bridlewise</h1><p>${escapeHtml(refusal.message)}</p></body></html>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
