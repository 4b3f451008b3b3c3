/** Front door of the handlers: one file per block, put together under the blocks' ids. */
import type { Clock, Ids, ToolRegistry } from '@bridlewise/engine'
import type { BlockList, blocks, LimitLine } from '@bridlewise/shared'
import type { Accounts } from '../accounts/index.ts'
import type { AuditBook } from '../audit/index.ts'
import type { Confinement } from '../confinement/index.ts'
import type { Bridge } from '../llm/bridge.ts'
import type { Dispatcher, NetworkDesk } from '../network/index.ts'
import type { HandlersOf } from '../projection/index.ts'
import type { Probes } from '../providers/index.ts'
import type { RewindParts } from '../rewinds/index.ts'
import type { Feed, RunControl } from '../runs/index.ts'
import type { Store } from '../storage/index.ts'
import type { Watch } from '../watch/index.ts'
import { createAccountHandlers } from './account.ts'
import { createAuditHandlers } from './audit.ts'
import { createBudgetHandlers } from './budget.ts'
import { createChatHandlers } from './chat.ts'
import { createContextHandlers } from './context.ts'
import { createDiagnosticsHandlers, type DiagnosticsHandlerParts } from './diagnostics.ts'
import { createEgressHandlers } from './egress.ts'
import { createHealthHandlers } from './health.ts'
import { createLockHandlers } from './lock.ts'
import { createNetworkHandlers } from './network.ts'
import { createPostureHandlers } from './posture.ts'
import { createProjectHandlers, type ProjectParts } from './project.ts'
import { createProviderHandlers } from './provider.ts'
import { createRedactionHandlers } from './redaction.ts'
import { createRoleHandlers } from './role.ts'
import { createRunHandlers } from './run.ts'
import { createRunStream } from './run-stream.ts'
import { createStorageHandlers, type StorageParts } from './storage.ts'
import { createTimelineHandlers } from './timeline.ts'
import { createToolHandlers } from './tool.ts'
import { createUiHandlers } from './ui.ts'
import { createUserHandlers } from './user.ts'

export { createHealthHandlers } from './health.ts'
export { createLockHandlers, type Unlocking } from './lock.ts'

export interface HandlerParts {
  readonly store: Store
  readonly accounts: Accounts
  readonly book: AuditBook
  readonly watch: Watch
  readonly confinement: Confinement
  readonly bridge: Bridge
  readonly probes: Probes
  readonly dispatcher: Pick<Dispatcher, 'facts' | 'secrets'>
  readonly network: NetworkDesk
  readonly tools: ToolRegistry
  readonly feed: Feed
  readonly runs: RunControl
  readonly rewinds: RewindParts
  readonly keeping: StorageParts['keeping']
  readonly sweeper: StorageParts['sweeper']
  readonly clock: Clock
  readonly ids: Ids
  readonly faults: DiagnosticsHandlerParts['faults']
  readonly homes: DiagnosticsHandlerParts['homes']
  readonly sample: ProjectParts['sample']
  readonly userHome: string
  readonly version: string
  readonly fixtures: boolean
  /** Every limit in force. */
  readonly limits: readonly LimitLine[]
  /** Every block that is served, also those beside the product's own. */
  readonly served: BlockList
  /** What the listening socket says it is bound to. */
  readonly bound: () => { readonly address: string; readonly port: number } | null
}

/** Contract: each factory takes what its block needs and no more; this is the one place that holds all of it. */
export function createHandlers(parts: HandlerParts): HandlersOf<typeof blocks> {
  const { store, accounts, confinement, bridge, feed, clock, ids, version, fixtures } = parts
  const { watch, bound, limits, dispatcher } = parts
  const measured = { confinement, store, accounts, watch, bound, network: dispatcher, fixtures, limits, clock }
  return {
    health: createHealthHandlers({ version }),
    lock: createLockHandlers(null),
    account: createAccountHandlers({ accounts, served: parts.served }),
    user: createUserHandlers({ accounts, store, control: parts.runs, sample: parts.sample }),
    project: createProjectHandlers({
      store,
      control: parts.runs,
      sample: parts.sample,
      userHome: parts.userHome,
      confinement,
      clock,
      ids,
    }),
    provider: createProviderHandlers({ store, bridge, probes: parts.probes, clock, ids, fixtures }),
    chat: createChatHandlers({ ...parts.rewinds, store }),
    context: createContextHandlers({ store, bridge, control: parts.runs }),
    role: createRoleHandlers({ store, bridge }),
    run: createRunHandlers({
      control: parts.runs,
      runs: store.runs,
      chats: store.chats,
      waiting: store.waiting,
      stream: createRunStream({ feed, retention: store.retention, runs: store.runs, projects: store.projects }),
    }),
    tool: createToolHandlers({ tools: parts.tools }),
    timeline: createTimelineHandlers({ ledger: store.ledger, clock }),
    egress: createEgressHandlers({ store, control: parts.runs, clock, ids }),
    redaction: createRedactionHandlers({ store, clock, ids }),
    audit: createAuditHandlers({ book: parts.book, store }),
    budget: createBudgetHandlers({ store, clock }),
    network: createNetworkHandlers(parts.network),
    posture: createPostureHandlers(measured),
    diagnostics: createDiagnosticsHandlers({
      posture: measured,
      store,
      dispatcher,
      faults: parts.faults,
      homes: parts.homes,
      version,
    }),
    storage: createStorageHandlers({ keeping: parts.keeping, sweeper: parts.sweeper, reclaim: store.reclaim }),
    ui: createUiHandlers({ blocks: parts.served, version }),
  }
}
