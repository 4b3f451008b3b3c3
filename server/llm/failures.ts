/** What an endpoint can do wrong, as typed refusals. Its own words are bounded, redacted and shown as a quotation. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { certificateProblem, connectionProblem, isPassing } from '../network/index.ts'

/** Carries a refusal through code that only knows how to throw. It ends in `EndpointFailure.of`. */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure'
  readonly refusal: Refusal

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, { cause })
    this.refusal = refusal
  }

  /** The refusal that `thrown` carries, however deeply it was wrapped on the way. */
  static of(thrown: unknown): Refusal | null {
    for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
      if (error instanceof EndpointFailure) return error.refusal
    }
    return null
  }
}

export interface StatusReply {
  readonly status: number
  /** What the endpoint says about it, as `quote` returned it. */
  readonly problem: string
  /** The vendor's word for it, as `codeIn` finds it. */
  readonly code?: string | null
  /** As sent: seconds or a date. */
  readonly retryAfter?: string | null
}

/** What a status outside 2xx and 3xx means. */
export function refusalOfStatus({ status, problem, retryAfter, code }: StatusReply): Refusal {
  const facts = { status, problem: problem || 'it gave no reason', ...(code && isName(code) ? { code } : {}) }
  if (status === 401 || status === 403) return makeRefusal('endpoint_unauthorized', facts)
  if (status === 402 || quotaCodes.has(code ?? '')) return makeRefusal('endpoint_quota_used_up', facts)
  if (status === 429) return makeRefusal('endpoint_rate_limited', retryAfter ? { ...facts, retryAfter } : facts)
  return makeRefusal(status < 500 && status !== 408 ? 'endpoint_refused' : 'endpoint_failed', facts)
}

/** One word, and no prose. */
function isName(code: string): boolean {
  return /^[A-Za-z][\w.-]{0,63}$/.test(code)
}

/** What vendors call an account that may not spend more; waiting does not help there. */
const quotaCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_credits',
  'insufficient_balance',
])

/** The code or type of an error body, redacted as all that an endpoint may echo; null when it names none. */
export function codeIn(body: unknown, redact: (text: string) => string): string | null {
  const error = typeof body === 'string' ? parsedOrNull(body) : body
  if (!isRecord(error)) return null
  if (isRecord(error['error'])) return codeIn(error['error'], redact)
  const named = [error['code'], error['type']].filter((one): one is string => typeof one === 'string')
  const code = named.find((one) => quotaCodes.has(one)) ?? named[0]
  return code === undefined ? null : redact(code)
}

/** An error that came with status 200, inside the answer or in place of it. */
export function refusalInBand(error: unknown, redact: (text: string) => string): Refusal {
  const problem = quote(error, redact)
  const status = isRecord(error) ? Number(error['code'] ?? error['status']) : Number.NaN
  const code = codeIn(error, redact)
  if (status >= 400 && status < 600) return refusalOfStatus({ status, problem, code })
  if (quotaCodes.has(code ?? '')) return refusalOfStatus({ status: 402, problem, code })
  return makeRefusal('endpoint_failed', { status: 'inside its answer', problem: problem || 'it gave no reason' })
}

/** A connection that could not be made, or broke before the answer began. */
export function unreachable(endpoint: string, cause: unknown): Refusal {
  const untrusted = certificateProblem(cause)
  if (untrusted) return makeRefusal('endpoint_untrusted', { endpoint, ...untrusted })
  return makeRefusal('endpoint_unreachable', { endpoint, problem: connectionProblem(cause), passing: isPassing(cause) })
}

export function nonsense(problem: string): Refusal {
  return makeRefusal('endpoint_nonsense', { problem })
}

/**
 * The reason an endpoint gives, from an error body of any of the usual shapes.
 *
 * Contract: what it echoes of the request was redacted before anything was cut, so no half of a
 * secret is left; at most `quoteLength` characters, none of which hides or reorders others.
 */
export function quote(body: unknown, redact: (text: string) => string): string {
  const plain = redact(reasonIn(body))
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]+/gu, ' ')
    .trim()
  return plain.length > quoteLength ? `${plain.slice(0, quoteLength)}…` : plain
}

const quoteLength = 400

function reasonIn(body: unknown): string {
  if (typeof body === 'string') {
    const parsed = parsedOrNull(body)
    return parsed === null ? body.replaceAll(/<[^<>]{0,500}>/g, ' ') : reasonIn(parsed)
  }
  if (!isRecord(body)) return body === null || body === undefined ? '' : String(body)
  for (const field of ['error', 'message', 'detail', 'msg']) {
    if (body[field]) return reasonIn(body[field])
  }
  return JSON.stringify(body)
}

export function parsedOrNull(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
