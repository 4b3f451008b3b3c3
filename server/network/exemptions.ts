/** Hosts that are reached without the proxy, in the way NO_PROXY is written everywhere. */
import { BlockList, isIP } from 'node:net'
import { bareHost } from './address.ts'

/**
 * Whether a list names the host of a URL.
 *
 * Entries stand apart by commas or spaces: a name means itself and all below it (with a dot or `*.` in
 * front as well), an address itself, `10.0.0.0/8` a network of addresses, `*` everything; with `:port`
 * it is about that port alone. Nothing is resolved: a network says nothing about names. What cannot be
 * read exempts nothing.
 */
export function isExempt(list: string, url: URL): boolean {
  const host = bareHost(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => entry !== '' && names(entry.toLowerCase(), host, port))
}

function names(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isIP(host) !== 0 && inNetwork(entry, host)
  const [, bracketed, plain, only] = /^(?:\[([^\]]+)\]|([^:]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*))(?::(\d+))?$/.exec(entry) ?? []
  const named = bracketed ?? plain
  if (named === undefined || (only !== undefined && only !== port)) return false
  const wanted = named.replace(/^\*?\./, '').replace(/\.$/, '')
  if (isIP(host) || isIP(wanted)) return sameAddress(wanted, host)
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`))
}

/** In whatever way it is spelled. */
function sameAddress(one: string, other: string): boolean {
  const family = isIP(one)
  return family !== 0 && family === isIP(other) && inList(one, family === 6 ? 128 : 32, other)
}

function inNetwork(entry: string, address: string): boolean {
  const [net = '', bits = ''] = entry.split('/')
  const family = isIP(net)
  const most = family === 6 ? 128 : 32
  if (family === 0 || family !== isIP(address) || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false
  return inList(net, Number(bits), address)
}

function inList(net: string, bits: number, address: string): boolean {
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(net, bits, family)
  return list.check(address, family)
}
