/**
 * The one place that knows SQL.
 *
 * Reads and writes are synchronous (better-sqlite3) except `append`, which groups commits. Expected
 * noes are returned; a broken machine is thrown, as a `StorageFault` where it has a name.
 */
export { type Backup, backUpStore } from './backup.ts'
export type { Erasure } from './erasure.ts'
export { measureLog, type StoreFacts } from './facts.ts'
export { refuseFault, StorageFault } from './fault.ts'
export { growth } from './growth.ts'
export type { Homes } from './homes.ts'
export { type DatabaseFindings, type Inspection, inspectStore } from './inspect.ts'
export { countBareKeys, type Protection, readProtection, type Unlock } from './key-access.ts'
export { sealBound } from './key-list.ts'
export { type Protected, protectKeys, protectKeysByKeychain, unprotectKeys } from './key-protection.ts'
export { exportKeys, importKeys, type KeyFile, type KeyImport } from './key-transfer.ts'
export type { Keychain } from './keychain.ts'
export type { BeatFilter, BeatScope, Ledger, LedgerHead } from './ledger.ts'
export type { Verification } from './ledger-verify.ts'
export { storageLimits } from './limits.ts'
export { type HeldHomes, holdHomes, openHeld, openStore } from './open.ts'
export { type Outline, outlineStore, type StoredNames } from './outline.ts'
export type { Owner, Page, PageRequest } from './pages.ts'
export type { FileSizes, Reclaim } from './reclaim.ts'
export type { Acceptance, Acceptances } from './repositories/acceptances.ts'
export type { AccountCodes, CodePurpose, CodeRecord } from './repositories/account-codes.ts'
export type { BlobDraft, Blobs } from './repositories/blobs.ts'
export type { Bounds } from './repositories/bounds.ts'
export type { BegunFileChange } from './repositories/changes.ts'
export type { ChargeFilter, ChargeGroup, ChargeLine, ChargeSum, Charges, GroupedCharges } from './repositories/charges.ts'
export type { ChatDraft, Chats } from './repositories/chats.ts'
export type {
  DepartedText,
  DepartureDraft,
  DepartureScope,
  Departures,
  KeptDeparture,
  KeptPart,
} from './repositories/departures.ts'
export type { EgressRuleRecord, EgressRules } from './repositories/egress-rules.ts'
export type { Execution, Executions, Orphan, Tree, WriterLeases } from './repositories/executions.ts'
export { type FileJournal, tagOf } from './repositories/file-journal.ts'
export type { Frames, RunScope } from './repositories/frames.ts'
export { type Idempotency, type IdempotencyKey, type IdempotencyState, replyKeptMs } from './repositories/idempotency.ts'
export type { Installation, StoredNetwork } from './repositories/installation.ts'
export type { Messages } from './repositories/messages.ts'
export type { ModelRoles, RolePlace } from './repositories/model-roles.ts'
export type { GuestRun, ProjectRecord, Projects, ReachedProject } from './repositories/projects.ts'
export type { ProviderChange, ProviderDraft, Providers } from './repositories/providers.ts'
export type { Expiry, KeptContent, KeptSum, Removed, Retention, RetentionBounds } from './repositories/retention.ts'
export type { RewindRecord, Rewinds, UnfinishedRewind } from './repositories/rewinds.ts'
export type { RunDraft, RunFilter, Runs } from './repositories/runs.ts'
export type {
  SecurityEventDetail,
  SecurityEventRow,
  SecurityEvents,
  StoredSecurityEvent,
} from './repositories/security-events.ts'
export type { SessionRecord, Sessions } from './repositories/sessions.ts'
export type { Settings, SettingValues, StoredCeilings, StoredPrice } from './repositories/settings.ts'
export type { ShareRecord, Shares } from './repositories/shares.ts'
export type { TokenRecord, Tokens } from './repositories/tokens.ts'
export { keyOfName, type Role, type UserDraft, type UserRecord, type Users } from './repositories/users.ts'
export type { VersionDraft, Versions } from './repositories/versions.ts'
export type { Held, Waiting } from './repositories/waiting.ts'
export { type Restored, restoreStore } from './restore.ts'
export type { Rotation, RotationOptions } from './rotate.ts'
export { comfortableBytes, startFloorBytes } from './space.ts'
export type { Store } from './store.ts'
export { vacuumStore } from './vacuum.ts'
