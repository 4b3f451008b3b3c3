/** What is in force, in the words of the screen and of the posture. Nothing that opens a proxy is in them. */
import type { NetworkFacts } from './dispatcher.ts'
import type { Source } from './way.ts'

const sources: Readonly<Record<Source, string>> = {
  environment: 'named by the environment of the server',
  stored: 'set by an administrator',
  system: 'named by /etc/environment',
}

export function describeProxy({ proxy }: NetworkFacts): string {
  if (proxy === null) return 'None: requests go straight'
  const { http, https, source, opened } = proxy
  const ways = http === https ? [`${https}`] : [...(https ? [`${https} for https`] : []), ...(http ? [`${http} for http`] : [])]
  return `${ways.join(', ')}, ${sources[source]}${opened ? ', opened with a password that is not shown' : ''}`
}

/** Names of machines and of people's authorities: what a bundle that leaves the house must not tell. */
export function placesOf({ proxy, authorities, sent }: NetworkFacts): readonly string[] {
  const places = [proxy?.http, proxy?.https, sent.lastProxy, ...(proxy?.exempt.split(/[\s,]+/) ?? [])]
  return [...places, ...authorities.stored.map(({ name }) => name)].filter((text): text is string => Boolean(text))
}

export function describeSent({ sent: { direct, proxied, lastProxy } }: NetworkFacts): string {
  const requests = (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`
  const where = lastProxy === null ? '' : `, last to ${lastProxy}`
  return `${requests(direct)} went straight, ${requests(proxied)} through a proxy${where}`
}
