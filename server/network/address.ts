/**
 * Which addresses are contacted: checked when a connection is made, because a name can change its mind
 * between the moment it was typed and this one.
 */
import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

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

/** A name was resolved to an address that is not contacted. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden'
}

/** An address that is never contacted. Takes addresses only. */
export function isForbidden(address: string): boolean {
  return inside(forbidden, address)
}

/** An address of this machine or of a network that is not routed on the internet. Takes addresses only. */
export function isLocal(address: string): boolean {
  return inside(local, address)
}

/** Whether a host, as `bareHost` gives it, is this machine by its name or as an address. Nothing is resolved. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && inside(loopback, host))
}

/** The host of a URL: no brackets, no dot at the end, in small letters. */
export function bareHost(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/**
 * Resolve a name for a connection.
 *
 * Contract: the address that was checked is the one that is connected to. One bad address among
 * several refuses them all. Without TLS only local addresses pass, and under a name of this machine only
 * its own: such a name is believed to stay here, so no proxy is asked for it.
 */
export function guardedLookup(secure: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (failure, addresses) => {
      if (failure) return callback(failure, [])
      const here = isLoopbackHost(hostname.toLowerCase().replace(/\.$/, ''))
      const bad = addresses.find(
        ({ address }) => isForbidden(address) || (!secure && !isLocal(address)) || (here && !inside(loopback, address)),
      )
      if (bad) return callback(new AddressForbidden(`${hostname} resolves to ${bad.address}, which is not contacted`), [])
      const first = addresses[0]
      if (options.all || !first) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
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

function blocks(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [net, bits] of ranges) list.addSubnet(net, bits, isIP(net) === 6 ? 'ipv6' : 'ipv4')
  return list
}
