/** The store: one database, opened by exactly one server, and its repositories. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Erasure } from './erasure.ts'
import type { StoreFacts } from './facts.ts'
import type { Homes } from './homes.ts'
import type { Ledger } from './ledger.ts'
import type { Reclaim } from './reclaim.ts'
import type { Acceptances } from './repositories/acceptances.ts'
import type { AccountCodes } from './repositories/account-codes.ts'
import type { Blobs } from './repositories/blobs.ts'
import type { Bounds } from './repositories/bounds.ts'
import type { Changes } from './repositories/changes.ts'
import type { Charges } from './repositories/charges.ts'
import type { Chats } from './repositories/chats.ts'
import type { Departures } from './repositories/departures.ts'
import type { EgressRules } from './repositories/egress-rules.ts'
import type { Executions, WriterLeases } from './repositories/executions.ts'
import type { Frames } from './repositories/frames.ts'
import type { Idempotency } from './repositories/idempotency.ts'
import type { Installation } from './repositories/installation.ts'
import type { Messages } from './repositories/messages.ts'
import type { ModelRoles } from './repositories/model-roles.ts'
import type { Projects } from './repositories/projects.ts'
import type { Providers } from './repositories/providers.ts'
import type { Retention } from './repositories/retention.ts'
import type { Rewinds } from './repositories/rewinds.ts'
import type { Runs } from './repositories/runs.ts'
import type { SecurityEvents } from './repositories/security-events.ts'
import type { Sessions } from './repositories/sessions.ts'
import type { Settings } from './repositories/settings.ts'
import type { Shares } from './repositories/shares.ts'
import type { Tokens } from './repositories/tokens.ts'
import type { Users } from './repositories/users.ts'
import type { Versions } from './repositories/versions.ts'
import type { Waiting } from './repositories/waiting.ts'
import type { Rotation, RotationOptions } from './rotate.ts'

export interface Store {
  /** Names this start of this server, on claims and leases. */
  readonly bootId: string
  readonly homes: Homes
  readonly users: Users
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly codes: AccountCodes
  readonly settings: Settings
  readonly installation: Installation
  readonly acceptances: Acceptances
  readonly projects: Projects
  readonly shares: Shares
  readonly providers: Providers
  readonly modelRoles: ModelRoles
  readonly chats: Chats
  readonly messages: Messages
  readonly runs: Runs
  readonly waiting: Waiting
  readonly executions: Executions
  readonly leases: WriterLeases
  readonly frames: Frames
  readonly ledger: Ledger
  readonly blobs: Blobs
  readonly departures: Departures
  readonly egressRules: EgressRules
  readonly versions: Versions
  readonly rewinds: Rewinds
  readonly changes: Changes
  readonly charges: Charges
  readonly bounds: Bounds
  readonly idempotency: Idempotency
  readonly securityEvents: SecurityEvents
  readonly erasure: Erasure
  readonly retention: Retention
  readonly reclaim: Reclaim
  /** Measured at the call. */
  facts(): StoreFacts
  /** Make a new key and move everything to it, or finish that. What else the store does meanwhile is safe. */
  rotateKeys(options?: RotationOptions): Promise<Result<Rotation>>
  /**
   * All of it or nothing, in one commit.
   *
   * Contract: `work` is synchronous. What was queued by `append` before is committed first, so the
   * order on disk is the order in the program. A throw undoes all of `work`; a returned refusal
   * undoes nothing, so check first and write then.
   */
  transaction<T>(work: () => T): T
  /**
   * The same in a commit that is shared with what else is handed over in one tick of the event loop.
   *
   * Contract: all or nothing for each work by itself, in the order of the calls, durable when it resolves.
   * `work` is called again when another one of its commit failed, so it changes nothing but the store.
   */
  enqueue<T>(work: () => T): Promise<T>
  /** Commits what is queued, closes, and lets go of the data home. Nothing works afterwards. */
  close(): void
}
