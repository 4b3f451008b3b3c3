/** What the guardian's probe says of this host. */
import type { PostureLine } from '@bridlewise/shared'
import type { GuardianProbe, ReadyHost } from '../confinement/index.ts'
import { line } from './line.ts'

export function confinementLines(probe: GuardianProbe): PostureLine[] {
  if (probe.state === 'refused') {
    const { message } = probe.refusal
    return [
      line('confinement', 'guardian', {
        title: 'Commands are confined by the kernel',
        state: 'off',
        evidence: `The guardian cannot confine here (${probe.refusal.code}), so no command is started.`,
        remedy: message,
      }),
    ]
  }
  return [
    line('confinement', 'guardian', {
      title: 'Commands are confined by the kernel',
      state: 'enforced',
      evidence: `The guardian ran on this host: Landlock ABI ${probe.abi}. What it cannot enforce it refuses to start.`,
    }),
    ...protections.flatMap((protection) => protectionLine(protection, probe)),
    ...(probe.notCovered.length > 0
      ? [
          line('confinement', 'not-covered', {
            title: 'Everything that the layers are for',
            state: 'partly',
            evidence: `Not covered here: ${probe.notCovered.join('; ')}.`,
            remedy: 'A newer kernel covers more.',
          }),
        ]
      : []),
    networkLine(probe),
  ]
}

/** One word for the header: `full` when no layer is missed and no way to the network is left open. */
export function confinementState(probe: GuardianProbe): 'full' | 'partly' | 'off' {
  if (probe.state === 'refused') return 'off'
  const missed = probe.missing.filter(({ layer }) => !networkLayers.includes(layer))
  return missed.length === 0 && probe.network === 'off' ? 'full' : 'partly'
}

/** What several layers of the guardian do together, in words for whoever has to trust it. */
interface Protection {
  readonly id: string
  readonly title: string
  readonly layers: readonly string[]
  /** What was tried. */
  readonly trial: string
}

const trial = 'A trial process was put behind it, and it held'

/** Contract: each layer of the guardian stands here or in `networkLine`, so that none is silently left out. */
const protections: readonly Protection[] = [
  {
    id: 'files',
    title: 'Only the project and system files can be read, and only the project written',
    layers: ['landlock'],
    trial: 'A trial command could not read a file beside its project, and could write inside it',
  },
  {
    id: 'places',
    title: 'Home directories, sockets and temporary files of others are not there at all',
    layers: ['mount'],
    trial,
  },
  {
    id: 'processes',
    title: 'No other process can be seen or signalled, and the end of a run ends all of its own',
    layers: ['pid', 'scopes'],
    trial,
  },
  { id: 'power', title: 'A command has no power over the host, even under root', layers: ['user', 'capabilities'], trial },
  { id: 'calls', title: 'System calls that a build never needs are denied', layers: ['seccomp'], trial },
  { id: 'memory', title: 'Shared memory and message queues of other programs are out of reach', layers: ['ipc'], trial },
  {
    id: 'inheritance',
    title: 'A command inherits nothing from the server, cannot gain rights, and has bounded files and processes',
    layers: ['supervisor', 'session', 'descriptors', 'limits', 'no_new_privs'],
    trial: 'The report of a trial command listed all of it',
  },
]

function protectionLine(protection: Protection, probe: ReadyHost): PostureLine[] {
  const held = protection.layers.filter((layer) => probe.layers.includes(layer))
  const lost = probe.missing.filter(({ layer }) => protection.layers.includes(layer))
  if (held.length === 0 && lost.length === 0) return []
  const holds = held.length > 0 ? [`${protection.trial} (${held.join(', ')}).`] : []
  const fails = lost.map(({ layer, reason }) => `This host refused ${layer}: ${reason}.`)
  return [
    line('confinement', protection.id, {
      title: protection.title,
      state: lost.length === 0 ? 'enforced' : held.length > 0 ? 'partly' : 'off',
      evidence: [...holds, ...fails].join(' '),
      remedy: 'It depends on the kernel and on what runs this server (a container may forbid it).',
    }),
  ]
}

/** Layers of which one is enough: the best that works is taken, and the others are not missed. */
const networkLayers: readonly string[] = ['net', 'sockets', 'tcp']

function networkLine({ network, layers }: ReadyHost): PostureLine {
  const by = networkLayers.filter((layer) => layers.includes(layer)).join(', ')
  return line('network', 'command-network', {
    title: 'Commands have no network',
    state: network === 'off' ? 'enforced' : 'partly',
    evidence:
      network === 'off' ? `A trial process had no way out (${by}).` : `TCP is denied (${by}); other ways, such as UDP, are open.`,
    remedy: 'A kernel and a container that allow network namespaces or a seccomp filter close the other ways.',
  })
}
