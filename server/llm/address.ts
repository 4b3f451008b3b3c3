/** Which addresses a provider may have, checked as text when one is typed. The network checks again when it connects. */
import { isIP } from 'node:net'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { bareHost, isForbidden, isLocal, isLoopbackHost } from '../network/index.ts'

/** The one query an address may hold: some gateways want their version there, beside every path. */
const versionQuery = /^\?api-version=[\w.-]{1,40}$/

/**
 * Accept a base address as typed and give it back in its one spelling, without a trailing slash.
 *
 * Contract: a query is `?api-version=…` or none; `urlBelow` puts a path in front of it.
 * Refuses: provider_address_invalid.
 */
export function checkAddress(baseUrl: string): Result<string> {
  const no = (problem: string) => refuse('provider_address_invalid', { baseUrl: withoutCredentials(baseUrl), problem })
  const typed = baseUrl.trim()
  // What the URL parser would quietly repair is refused: two readers must not see two hosts.
  if (/[\s\\\p{Cc}]/u.test(typed)) return no('it holds a space, a backslash or a control character')
  if (!URL.canParse(typed)) return no('it is not a URL; most look like https://host/v1')
  const url = new URL(typed)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return no('only https and http are spoken')
  if (url.username || url.password || typed.includes('@'))
    return no('it holds a user name or password; the key has its own field')
  if (typed.includes('#') || (typed.includes('?') && !versionQuery.test(url.search)))
    return no('it holds a fragment, or a query other than api-version')
  const host = bareHost(url)
  if (isIP(host) && isForbidden(host)) return no('this address is never contacted')
  if (url.protocol === 'http:' && !looksLocal(host)) return no('outside this machine and private networks it must be https')
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`)
}

/** A path such as `/chat/completions` below an address as accepted above. */
export function urlBelow(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`
  return url
}

/** Whether an address as accepted above names this machine. */
export function isLoopback(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopbackHost(bareHost(new URL(baseUrl)))
}

function looksLocal(host: string): boolean {
  if (isIP(host)) return isLocal(host)
  return !host.includes('.') || /\.(localhost|local|lan|internal|home\.arpa)$/.test(host)
}

/** What a refusal may repeat of an address: nothing before an `@`, and no query or fragment. */
function withoutCredentials(baseUrl: string): string {
  return baseUrl
    .replace(/[?#].*$/s, '…')
    .replace(/\/\/[^/]*@/, '//…@')
    .slice(0, 200)
}
