/** Which names this server answers to. A page that rebinds its own name to this machine fails here. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { RequestFacts } from './request.ts'

/** What the socket is bound to: known in full only once it listens. */
export interface Bound {
  readonly address: '127.0.0.1' | '::1'
  readonly port: number
}

/**
 * The exact `Host` values served on a bound socket.
 *
 * A browser leaves the port out only when it is 80.
 */
export function allowedHosts(bound: Bound): ReadonlySet<string> {
  const names = [bound.address === '::1' ? '[::1]' : bound.address, 'localhost']
  return new Set(names.flatMap((name) => (bound.port === 80 ? [name, `${name}:80`] : [`${name}:${bound.port}`])))
}

/**
 * Refuse every `Host` but ours.
 *
 * Contract: compares text with text. Nothing is parsed, folded or resolved first: URL parsers turn
 * `2130706433`, `0x7f.1` and full-width digits into 127.0.0.1.
 * Refuses: host_not_allowed, also for a missing or repeated Host.
 */
export function checkHost(facts: RequestFacts, hosts: ReadonlySet<string>): Refusal | null {
  const given = facts.headers.get('host') ?? []
  const [host] = given
  return given.length === 1 && host !== undefined && hosts.has(host) ? null : makeRefusal('host_not_allowed')
}
