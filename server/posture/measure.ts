/** Every line of the posture, measured anew at each call; only the guardian's probe is measured once a start. */
import type { Clock } from '@bridlewise/engine'
import type { LimitLine, posture, ReplyOf } from '@bridlewise/shared'
import type { Accounts } from '../accounts/index.ts'
import type { Confinement } from '../confinement/index.ts'
import type { Dispatcher } from '../network/index.ts'
import type { Store } from '../storage/index.ts'
import type { Watch } from '../watch/index.ts'
import { confinementLines, confinementState } from './confinement-lines.ts'
import { measureCrashMemory } from './crash-memory.ts'
import { authoritiesLine, proxyLine } from './network-lines.ts'
import { notClaimed } from './not-claimed.ts'
import { bindLine, crashLine, environmentLine, governanceLine, modelLine, runtimeLine } from './server-lines.ts'
import { storageLines } from './storage-lines.ts'
import { logLine, pauseLine } from './watch-lines.ts'

export interface PostureParts {
  readonly confinement: Pick<Confinement, 'probe'>
  readonly store: Pick<Store, 'facts' | 'homes'>
  readonly accounts: Pick<Accounts, 'acceptance'>
  readonly watch: Pick<Watch, 'readings'>
  /** What the listening socket says it is bound to. */
  readonly bound: () => { readonly address: string; readonly port: number } | null
  readonly network: Pick<Dispatcher, 'facts'>
  readonly fixtures: boolean
  readonly limits: readonly LimitLine[]
  readonly clock: Clock
}

export type Posture = ReplyOf<(typeof posture)['operations']['get']>

/** Contract: reads; what cannot be measured is not reported as enforced. */
export async function measurePosture(parts: PostureParts): Promise<Posture> {
  const network = parts.network.facts()
  const probe = await parts.confinement.probe()
  return {
    confinement: confinementState(probe),
    lines: [
      ...confinementLines(probe),
      bindLine(parts.bound()),
      proxyLine(network),
      authoritiesLine(network),
      ...(await storageLines(parts.store)),
      logLine(parts.store.facts()),
      pauseLine(parts.watch.readings()),
      governanceLine(parts.accounts.acceptance()),
      modelLine(parts.fixtures),
      runtimeLine(),
      environmentLine(process.env),
      crashLine(measureCrashMemory()),
    ],
    notClaimed: [...notClaimed],
    limits: [...parts.limits],
    measuredAt: parts.clock.now(),
  }
}
