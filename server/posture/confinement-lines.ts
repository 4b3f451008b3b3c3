/** What the guardian's probe says of this host. */
import type { PostureLine } from '@bridlewise/shared'
import type { GuardianProbe } from '../confinement/index.ts'
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
    ...probe.layers.map((layer) =>
      line('confinement', `layer-${layer}`, {
        title: `Layer ${layer}`,
        state: 'enforced',
        evidence: 'Put up in a trial process, and held.',
      }),
    ),
    ...probe.missing.map(({ layer, reason }) =>
      line('confinement', `layer-${layer}`, {
        title: `Layer ${layer}`,
        state: 'off',
        evidence: `This host refused it: ${reason}.`,
        remedy: 'It depends on the kernel and on what runs this server (a container may forbid it).',
      }),
    ),
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
    networkLine(probe.network),
  ]
}

/** One word for the header: `full` when no layer is missing and nothing is left open. */
export function confinementState(probe: GuardianProbe): 'full' | 'partly' | 'off' {
  if (probe.state === 'refused') return 'off'
  return probe.missing.length === 0 && probe.network === 'off' ? 'full' : 'partly'
}

function networkLine(network: 'off' | 'partly'): PostureLine {
  return line('network', 'command-network', {
    title: 'Commands have no network',
    state: network === 'off' ? 'enforced' : 'partly',
    evidence: network === 'off' ? 'A trial process could reach nothing.' : 'TCP is denied; other ways, such as UDP, are open.',
    remedy: 'A kernel and a container that allow network namespaces or a seccomp filter close the other ways.',
  })
}
