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
import { fetchKeys } from './key-list.ts'
import { createKeyUse, type KeyUse } from './key-use.ts'
import { createLedger } from './ledger.ts'
import { type Lock, lockDataHome } from './lock.ts'
import { migrate } from './migrate.ts'
import { createReclaim } from './reclaim.ts'
import { createAcceptances } from './repositories/acceptances.ts'
import { createAccountCodes } from './repositories/account-codes.ts'
import { createBlobs } from './repositories/blobs.ts'
import { createChats } from './repositories/chats.ts'
import { createExecutions, createWriterLeases } from './repositories/executions.ts'
import { createFrames } from './repositories/frames.ts'
import { createIdempotency, replyKeptMs } from './repositories/idempotency.ts'
import { createInstallation } from './repositories/installation.ts'
import { createMessages } from './repositories/messages.ts'
import { createProjects } from './repositories/projects.ts'
import { createProviders } from './repositories/providers.ts'
import { createRetention } from './repositories/retention.ts'
import { createRuns } from './repositories/runs.ts'
import { createSecurityEvents } from './repositories/security-events.ts'
import { createSessions } from './repositories/sessions.ts'
import { createSettings } from './repositories/settings.ts'
import { createTokens } from './repositories/tokens.ts'
import { createUsers } from './repositories/users.ts'
import { rotateKeys } from './rotate.ts'
import { createSeal } from './seal.ts'
import { checkBeforeOpening, refuseUnreadable } from './start-checks.ts'
import type { Store } from './store.ts'
import { keepWitness, type WitnessKeeper } from './witness.ts'

/**
 * Open the data home for this process alone.
 *
 * Contract: a refusal leaves nothing changed but the homes and an empty database, and holds no lock.
 * Refuses: data_home_unusable, key_home_unsafe, data_home_locked, schema_newer, key_missing,
 * storage_full, and what `checkBeforeOpening` refuses.
 */
export async function openStore(wanted: Homes, now: () => number = Date.now): Promise<Result<Store>> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  try {
    return await openHomes(homes.value, now)
  } catch (error) {
    return refuseFault(error)
  }
}

async function openHomes(homes: Homes, now: () => number): Promise<Result<Store>> {
  const lock = lockDataHome(homes.data)
  if (!lock.ok) return lock
  try {
    const store = await openLocked(homes, lock.value, now)
    if (!store.ok) lock.value.release()
    return store
  } catch (error) {
    lock.value.release()
    throw error
  }
}

async function openLocked(homes: Homes, lock: Lock, now: () => number): Promise<Result<Store>> {
  const path = join(homes.data, 'bridlewise.db')
  const fit = checkBeforeOpening(homes.data, path)
  if (!fit.ok) return fit
  makePrivateFile(path)
  const opened = openFile(path, homes.data)
  if (!opened.ok) return opened
  const database = opened.value
  try {
    const migrated = await migrate(database, homes.data)
    const ring = migrated.ok ? fetchKeys(database, homes.keys, now()) : migrated
    if (!ring.ok) {
      database.close()
      return ring
    }
    const use = createKeyUse(database)
    use.begin(ring.value.active)
    const context = { database, seal: createSeal(ring.value, use.count), bootId: randomUUID(), now }
    const watch = watchIntegrity(path)
    const store = assemble(context, { homes, watch, use })
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
  readonly watch: IntegrityWatch
  readonly use: KeyUse
}

function assemble(context: StoreContext, { homes, watch, use }: Ground): Omit<Store, 'close'> {
  const { database, bootId } = context
  const settings = createSettings(context)
  const erasure = createErasure(context)
  return {
    bootId,
    homes,
    users: createUsers(context, erasure),
    sessions: createSessions(context),
    tokens: createTokens(context),
    codes: createAccountCodes(context),
    settings,
    installation: createInstallation(context),
    acceptances: createAcceptances(context),
    projects: createProjects(context),
    providers: createProviders(context, settings),
    chats: createChats(context, erasure),
    messages: createMessages(context),
    runs: createRuns(context),
    executions: createExecutions(context),
    leases: createWriterLeases(context),
    frames: createFrames(context),
    ledger: createLedger(context),
    blobs: createBlobs(context),
    idempotency: createIdempotency(context),
    securityEvents: createSecurityEvents(context),
    erasure,
    retention: createRetention(context),
    reclaim: createReclaim(context),
    facts: () => readFacts(context, { home: homes.data, integrity: watch.current() }),
    rotateKeys: (options) => rotateKeys({ ...context, homes, use }, options),
    transaction: (work) => database.transaction(work),
  }
}

interface Open extends Omit<Ground, 'homes'> {
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
