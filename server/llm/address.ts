/**
 * Which addresses a provider may have: checked as text when it is typed, and again as a resolved
 * address when a connection is made, because a name can change its mind in between.
 */
import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** Never contacted: link-local (cloud metadata among it), unspecified, multicast, and the metadata address of IPv6. */
const forbidden = blocks([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::', 32],
])
const loopback = blocks([
  ['127.0.0.0', 8],
  ['::1', 128],
])
/** Loopback and the networks that are not routed on the internet (RFC 1918, 4193, 6598). */
const local = blocks([
  ['127.0.0.0', 8],
  ['::1', 128],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['fc00::', 7],
])

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
  if (!URL.canParse(baseUrl)) return false
  const host = bareHost(new URL(baseUrl))
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && inside(loopback, host))
}

/** A name was resolved to an address that is not contacted. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden'
}

/**
 * Resolve a name for a connection.
 *
 * Contract: the address that was checked is the one that is connected to. One bad address among
 * several refuses them all. Without TLS only local addresses pass.
 */
export function guardedLookup(secure: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (failure, addresses) => {
      if (failure) return callback(failure, [])
      const bad = addresses.find(({ address }) => isForbidden(address) || (!secure && !inside(local, address)))
      if (bad) return callback(new AddressForbidden(`${hostname} resolves to ${bad.address}, which is not contacted`), [])
      const first = addresses[0]
      if (options.all || !first) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

function looksLocal(host: string): boolean {
  if (isIP(host)) return inside(local, host)
  return !host.includes('.') || /\.(localhost|local|lan|internal|home\.arpa)$/.test(host)
}

function isForbidden(address: string): boolean {
  return inside(forbidden, address)
}

/** IPv4 addresses inside IPv6 ones (mapped, and NAT64 of RFC 6052) count as what they carry. */
function inside(list: BlockList, address: string): boolean {
  if (isIP(address) === 4) return list.check(address, 'ipv4')
  const carried = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(
    new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1),
  )
  if (!carried) return list.check(address.split('%')[0] ?? '', 'ipv6')
  const [high, low] = [Number.parseInt(carried[1] ?? '', 16), Number.parseInt(carried[2] ?? '', 16)]
  return list.check(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`, 'ipv4')
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** What a refusal may repeat of an address: nothing before an `@`, and no query or fragment. */
function withoutCredentials(baseUrl: string): string {
  return baseUrl
    .replace(/[?#].*$/s, '…')
    .replace(/\/\/[^/]*@/, '//…@')
    .slice(0, 200)
}

function blocks(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [net, bits] of ranges) list.addSubnet(net, bits, isIP(net) === 6 ? 'ipv6' : 'ipv4')
  return list
}
