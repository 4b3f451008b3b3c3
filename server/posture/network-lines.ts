/** Which way requests to endpoints go, and whose certificates are trusted. */
import type { PostureLine } from '@bridlewise/shared'
import { describeProxy, describeSent, type NetworkFacts } from '../network/index.ts'
import { line } from './line.ts'

/** Contract: names the place of a proxy, never what opens it. What is counted was sent by this process since its start. */
export function proxyLine(facts: NetworkFacts): PostureLine {
  const { proxy } = facts
  const seen = [proxy?.https ? 'Of endpoints with TLS it learns names and sizes, not what is said' : '']
  if (proxy?.http) seen.push('it reads everything that goes to endpoints without TLS')
  return line('network', 'proxy', {
    title: 'Nobody stands between this machine and a model endpoint that you chose',
    state: proxy === null ? 'enforced' : 'partly',
    evidence:
      proxy === null
        ? `No source names a proxy. ${describeSent(facts)}.`
        : `Proxy: ${describeProxy(facts)}. ${describeSent(facts)}. ${seen.filter((one) => one !== '').join('; ')}. The addresses behind it are its choice and cannot be checked here.`,
    remedy: 'Name hosts that need no proxy in NO_PROXY or under Network; what is on this machine is never reached through it.',
  })
}

export function authoritiesLine({ authorities: { stored, named, fromEnvironment } }: NetworkFacts): PostureLine {
  const unread = named && fromEnvironment === 0
  const added = [
    ...(unread ? ['NODE_EXTRA_CA_CERTS is set, and Node read no certificate from it'] : []),
    ...(fromEnvironment > 0 ? [`${fromEnvironment} from NODE_EXTRA_CA_CERTS`] : []),
    ...(stored.length > 0 ? [`${stored.length} added under Network (${stored.map(({ name }) => name).join('; ')})`] : []),
  ]
  return line('network', 'authorities', {
    title: 'Endpoints show certificates of the authorities that Node brings',
    state: added.length === 0 ? 'enforced' : 'partly',
    evidence:
      added.length === 0
        ? 'Each connection with TLS checks name, date and signature. No authority was added.'
        : `Each connection with TLS checks name, date and signature. Beside them: ${added.join(', ')}.`,
    remedy: unread
      ? 'Give it the path of a PEM file that the server can read, and start again.'
      : 'Whoever holds the key of an added authority can read what goes to any endpoint. Remove those that are not needed.',
  })
}
