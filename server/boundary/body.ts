/** Bodies: JSON and nothing else, of bounded depth, and only where one belongs. */
import { makeRefusal, ok, type Refusal, type Result } from '@bridlewise/shared/refusals'
import { headerOf, type RequestFacts } from './request.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Refuse a body that a form, an image or a beacon could have sent, before any of it is read.
 *
 * Contract: a POST carries `application/json`, which no page can send to another origin without
 * asking first, or nothing at all; the other methods carry nothing.
 * Refuses: content_type_not_json, request_malformed.
 */
export function checkBody(facts: RequestFacts): Refusal | null {
  const length = headerOf(facts, 'content-length')
  const empty = (length === undefined || length === '0') && headerOf(facts, 'transfer-encoding') === undefined
  if (facts.method !== 'POST')
    return empty ? null : makeRefusal('request_malformed', { problem: `a ${facts.method} has no body` })
  if (empty && headerOf(facts, 'content-type') === undefined) return null
  const transfer = headerOf(facts, 'transfer-encoding')
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return makeRefusal('request_malformed', { problem: 'a body comes with its length or in chunks' })
  }
  if (!/^application\/json(?: ?; ?charset=utf-8)?$/i.test(headerOf(facts, 'content-type') ?? '')) {
    return makeRefusal('content_type_not_json')
  }
  const encoding = headerOf(facts, 'content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    return makeRefusal('request_malformed', { problem: 'compressed bodies are not read' })
  }
  return null
}

/**
 * Decode a body.
 *
 * Contract: text that is not UTF-8, or nested deeper than `depth`, is refused before it is parsed.
 * Refuses: request_malformed.
 */
export function parseJson(bytes: Uint8Array, depth: number): Result<unknown> {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return malformed('the body is not UTF-8')
  }
  if (!isShallow(text, depth)) return malformed(`the body is nested deeper than ${depth} levels`)
  try {
    return ok(JSON.parse(text))
  } catch {
    return malformed('the body is not JSON')
  }
}

/** One pass over the text: brackets outside of strings, counted. */
function isShallow(text: string, depth: number): boolean {
  let level = 0
  let inString = false
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === backslash) i += 1
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (code === openBrace || code === openBracket) {
      level += 1
      if (level > depth) return false
    } else if (code === closeBrace || code === closeBracket) level -= 1
  }
  return true
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

function malformed(problem: string): Result<never> {
  return { ok: false, refusal: makeRefusal('request_malformed', { problem }) }
}
