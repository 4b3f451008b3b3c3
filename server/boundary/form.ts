/** The form of a request: version, headers that may stand once, path and method. Odd spellings end here. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { headerOf, pathOf, type RequestFacts } from './request.ts'

/** Headers that decide something. Two of one kind would let two readers of the request disagree. */
const singular = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'idempotency-key',
  'last-event-id',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
  'x-bridlewise-device',
  'x-bridlewise-token',
]

/** Below the number from which on Node leaves headers out, 2000, and above what browsers send. */
export const mostHeaders = 64

const methods = new Set(['GET', 'HEAD', 'POST'])

/** Refuses: request_malformed for anything but HTTP/1.1. */
export function checkVersion(facts: RequestFacts): Refusal | null {
  return facts.version === '1.1' ? null : malformed('only HTTP/1.1 is spoken here')
}

/**
 * Refuses: request_malformed when a header that decides something stands there twice, and when there
 * are more headers than a browser sends. Node would leave out the last ones and say nothing.
 */
export function checkSingular(facts: RequestFacts): Refusal | null {
  if (facts.headers.size > mostHeaders) return malformed(`there are more than ${mostHeaders} headers`)
  const twice = singular.find((name) => (facts.headers.get(name)?.length ?? 0) > 1)
  return twice ? malformed(`the header ${twice} stands there more than once`) : null
}

/**
 * Take a target in its one normal form: a path of plain segments, then perhaps a query.
 *
 * Contract: what passes means the same to every router: no other spelling of a path exists, since
 * escapes, empty segments, dot segments, parameters and back-slashes are refused rather than folded.
 * Ids of this server need no escapes.
 */
export function checkTarget(facts: RequestFacts): Refusal | null {
  const path = pathOf(facts)
  if (!path.startsWith('/')) return malformed('the target must be a path')
  if (!/^[\x21-\x7e]*$/.test(facts.target)) return malformed('the target holds characters that must be escaped')
  if (facts.target.includes('#')) return malformed('a fragment is never sent')
  if (!/^[A-Za-z0-9/._~@:-]*$/.test(path)) return malformed('the path is spelled in an unusual way')
  const segments = path.split('/').slice(1)
  if (segments.some((segment) => /^\.+$/.test(segment))) return malformed('the path holds a dot segment')
  if (path !== '/' && segments.includes('')) return malformed('the path holds an empty segment')
  return null
}

/** Refuses: method_not_allowed. No header and no query turns one method into another. */
export function checkMethod(facts: RequestFacts): Refusal | null {
  return methods.has(facts.method) ? null : makeRefusal('method_not_allowed', { method: facts.method })
}

/** Refuses: request_malformed. There is no web socket here, and nothing that needs to be asked before it is sent. */
export function checkExtras(facts: RequestFacts): Refusal | null {
  if (headerOf(facts, 'upgrade') !== undefined) return malformed('this server does not switch protocols')
  const expect = headerOf(facts, 'expect')
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return malformed('this expectation cannot be met')
  return null
}

function malformed(problem: string): Refusal {
  return makeRefusal('request_malformed', { problem })
}
