/** Open the store: homes, lock, keys, schema, repositories, in this order, each a refusal of its own. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { StoreContext } from './context.ts'
import { type Database, openDatabase } from './database.ts'
import { createErasure } from './erasure.ts'
import { readFacts } from './facts.ts'
import { refuseFault } from './fault.ts'
import { type Homes, makePrivateFile, prepareHomes } from './homes.ts'
import { type IntegrityWatch, watchIntegrity } from './integrity.ts'
import { type KeyHome, openKeyHome, type Protection, readProtection, type Unlock } from './key-access.ts'
import { fetchKeys } from './key-list.ts'
import { createKeyUse, type KeyUse } from './key-use.ts'
import { createLedger } from './ledger.ts'
import { type Lock, lockDataHome } from './lock.ts'
import { migrate } from './migrate.ts'
import { createReclaim } from './reclaim.ts'
import { createAcceptances } from './repositories/acceptances.ts'
import { createAccountCodes } from './repositories/account-codes.ts'
import { createBlobs } from './repositories/blobs.ts'
import { createBounds } from './repositories/bounds.ts'
import { createChanges } from './repositories/changes.ts'
import { createCharges } from './repositories/charges.ts'
import { createChats } from './repositories/chats.ts'
import { createDepartures } from './repositories/departures.ts'
import { createEgressRules } from './repositories/egress-rules.ts'
import { createExecutions, createWriterLeases } from './repositories/executions.ts'
import { createFrames } from './repositories/frames.ts'
import { createIdempotency, replyKeptMs } from './repositories/idempotency.ts'
import { createInstallation } from './repositories/installation.ts'
import { createMessages } from './repositories/messages.ts'
import { createModelRoles } from './repositories/model-roles.ts'
import { createProjects } from './repositories/projects.ts'
import { createProviders } from './repositories/providers.ts'
import { createRetention } from './repositories/retention.ts'
import { createRewinds } from './repositories/rewinds.ts'
import { createRuns } from './repositories/runs.ts'
import { createSecurityEvents } from './repositories/security-events.ts'
import { createSessions } from './repositories/sessions.ts'
import { createSettings } from './repositories/settings.ts'
import { createShares } from './repositories/shares.ts'
import { createTokens } from './repositories/tokens.ts'
import { createUsers } from './repositories/users.ts'
import { createVersions } from './repositories/versions.ts'
import { createWaiting } from './repositories/waiting.ts'
import { rotateKeys } from './rotate.ts'
import { createSeal } from './seal.ts'
import { checkBeforeOpening, refuseUnreadable } from './start-checks.ts'
import type { Store } from './store.ts'
import { keepWitness, type WitnessKeeper } from './witness.ts'

/**
 * Open the data home for this process alone.
 *
 * Contract: a refusal leaves nothing changed but the homes and an empty database, and holds no lock.
 * Refuses: what `holdHomes` and its `open` refuse.
 */
export async function openStore(wanted: Homes, now: () => number = Date.now, unlock: Unlock = {}): Promise<Result<Store>> {
  const held = holdHomes(wanted, now)
  return held.ok ? openHeld(held.value, unlock) : held
}

/** Open homes that were held, once: a refusal lets go of them. */
export async function openHeld(held: HeldHomes, unlock: Unlock): Promise<Result<Store>> {
  let opened: Result<Store> | null = null
  try {
    opened = await held.open(unlock)
    return opened
  } finally {
    if (!opened?.ok) held.release()
  }
}

/** The homes, taken for this process, with nothing read that is sealed. */
export interface HeldHomes {
  /** What has to be given to `open`. */
  readonly protection: Protection
  /**
   * Open the store, whose `close` then lets go of the homes.
   *
   * Contract: a refusal changes as little as that of `openStore` and keeps the homes held, so it can be
   * tried again; the keys are opened before the database is looked into.
   * Refuses: what `openKeyHome` refuses, schema_newer, key_missing, storage_full, and what
   * `checkBeforeOpening` refuses.
   */
  open(unlock: Unlock): Promise<Result<Store>>
  /** For homes that were not opened. */
  release(): void
}

/**
 * Take the homes before anything in them is opened.
 *
 * Refuses: data_home_unusable, key_home_unsafe, data_home_locked.
 */
export function holdHomes(wanted: Homes, now: () => number = Date.now): Result<HeldHomes> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  const protection = readProtection(homes.value.keys)
  if (!protection.ok) return protection
  try {
    const lock = lockDataHome(homes.value.data)
    if (!lock.ok) return lock
    const open = async (unlock: Unlock) => {
      try {
        return await openLocked(homes.value, lock.value, { now, unlock })
      } catch (error) {
        return refuseFault(error)
      }
    }
    return ok({ protection: protection.value, open, release: () => lock.value.release() })
  } catch (error) {
    return refuseFault(error)
  }
}

interface Opening {
  readonly now: () => number
  readonly unlock: Unlock
}

async function openLocked(homes: Homes, lock: Lock, { now, unlock }: Opening): Promise<Result<Store>> {
  const keyHome = await openKeyHome(homes.keys, unlock)
  if (!keyHome.ok) return keyHome
  const settled = keyHome.value.settle()
  if (!settled.ok) return settled
  const path = join(homes.data, 'bridlewise.db')
  const fit = checkBeforeOpening(homes.data, path)
  if (!fit.ok) return fit
  makePrivateFile(path)
  const opened = openFile(path, homes.data)
  if (!opened.ok) return opened
  const database = opened.value
  try {
    const migrated = await migrate(database, homes.data)
    const ring = migrated.ok ? fetchKeys(database, keyHome.value, now()) : migrated
    if (!ring.ok) {
      database.close()
      return ring
    }
    const use = createKeyUse(database)
    use.begin(ring.value.active)
    const context = { database, seal: createSeal(ring.value, use.count), bootId: randomUUID(), now }
    const watch = watchIntegrity(path)
    const store = assemble(context, { homes, keyHome: keyHome.value, watch, use })
    store.sessions.removeExpired(now())
    store.codes.removeExpired(now())
    store.idempotency.removeBefore(now() - replyKeptMs)
    const witness = keepWitness(homes.data, store.ledger.head)
    return ok({ ...store, close: closeOnce({ database, lock, watch, use, witness }) })
  } catch (error) {
    database.close()
    throw error
  }
}

function openFile(path: string, home: string): Result<Database> {
  try {
    return ok(openDatabase(path))
  } catch (error) {
    return refuseUnreadable(home, error)
  }
}

interface Ground {
  readonly homes: Homes
  readonly keyHome: KeyHome
  readonly watch: IntegrityWatch
  readonly use: KeyUse
}

function assemble(context: StoreContext, { homes, keyHome, watch, use }: Ground): Omit<Store, 'close'> {
  const { database, bootId } = context
  const settings = createSettings(context)
  const erasure = createErasure(context)
  const installation = createInstallation(context)
  return {
    bootId,
    homes,
    users: createUsers(context, erasure),
    sessions: createSessions(context),
    tokens: createTokens(context),
    codes: createAccountCodes(context),
    settings,
    installation,
    acceptances: createAcceptances(context),
    projects: createProjects(context, erasure),
    shares: createShares(context),
    providers: createProviders(context, settings),
    modelRoles: createModelRoles(context),
    chats: createChats(context, erasure),
    messages: createMessages(context),
    runs: createRuns(context),
    waiting: createWaiting(context),
    executions: createExecutions(context),
    leases: createWriterLeases(context),
    frames: createFrames(context),
    ledger: createLedger(context),
    blobs: createBlobs(context),
    departures: createDepartures(context, installation),
    egressRules: createEgressRules(context),
    versions: createVersions(context, installation),
    rewinds: createRewinds(context),
    changes: createChanges(context),
    charges: createCharges(context),
    bounds: createBounds(context),
    idempotency: createIdempotency(context),
    securityEvents: createSecurityEvents(context),
    erasure,
    retention: createRetention(context),
    reclaim: createReclaim(context),
    facts: () => readFacts(context, { home: homes.data, integrity: watch.current() }),
    rotateKeys: (options) => rotateKeys({ ...context, homes, keyHome, use }, options),
    transaction: (work) => database.transaction(work),
    enqueue: (work) => database.enqueue(work),
  }
}

interface Open extends Omit<Ground, 'homes' | 'keyHome'> {
  readonly database: Database
  readonly lock: Lock
  readonly witness: WitnessKeeper
}

function closeOnce({ database, lock, watch, use, witness }: Open): () => void {
  let closed = false
  return () => {
    if (closed) return
    closed = true
    watch.stop()
    use.settle()
    witness.settle()
    database.close()
    lock.release()
  }
}
