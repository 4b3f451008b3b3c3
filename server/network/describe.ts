/** What is in force, in the words of the screen and of the posture. Nothing that opens a proxy is in them. */
import type { NamedProxies, NetworkFacts } from './dispatcher.ts'
import type { Source } from './way.ts'

const sources: Readonly<Record<Source, string>> = {
  environment: 'the environment of the server',
  stored: 'an administrator',
  system: '/etc/environment',
}

export function describeProxy({ proxy }: NetworkFacts): string {
  return proxy === null ? 'None: requests go straight' : `${describePlaces(proxy)}, named by ${sources[proxy.source]}`
}

/** One row a source, for a table. */
export function describeSources({ named }: NetworkFacts) {
  return named.map((one, at) => ({
    id: one.source,
    by: sources[one.source],
    proxy: describePlaces(one),
    exempt: one.exempt,
    state: at === 0 ? 'in force' : 'not asked',
  }))
}

function describePlaces({ http, https, opened }: NamedProxies): string {
  const ways = http === https ? [`${https}`] : [...(https ? [`${https} for https`] : []), ...(http ? [`${http} for http`] : [])]
  return `${ways.join(', ')}${opened ? ' (with a password)' : ''}`
}

/** Names of machines and of people's authorities: what a bundle that leaves the house must not tell. */
export function placesOf({ named, authorities, sent }: NetworkFacts): readonly string[] {
  const places = named.flatMap(({ http, https, exempt }) => [http, https, ...exempt.split(/[\s,]+/)])
  return [...places, sent.lastProxy, ...authorities.stored.map(({ name }) => name)].filter((text): text is string =>
    Boolean(text),
  )
}

export function describeSent({ sent: { direct, proxied, lastProxy } }: NetworkFacts): string {
  const requests = (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`
  const where = lastProxy === null ? '' : `, last to ${lastProxy}`
  return `${requests(direct)} went straight, ${requests(proxied)} through a proxy${where}`
}
