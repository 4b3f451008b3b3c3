/** The composition of the server: which room gets what. Nothing here decides anything; listening is elsewhere. */
import { randomBytes } from 'node:crypto'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { admitDeveloperPreview, builtinTools, createToolRegistry, type Grants, type Ids } from '@bridlewise/engine'
import { guardianBinary } from '@bridlewise/guardian'
import { type BlockList, blocks, defineModule } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { makeId } from '@bridlewise/shared/wire'
import { type Accounts, createAccounts } from './accounts/index.ts'
import { createAuditBook, noteAnswer, noteDeniedEgress, noteFault, noteServer, noteSlowdown } from './audit/index.ts'
import {
  type Answered,
  type Boundary,
  createBoundary,
  createBoundedLog,
  defaultLimits,
  type Limits,
  RateBook,
  reportFault,
} from './boundary/index.ts'
import { createBudget } from './budget/index.ts'
import { clock } from './clock.ts'
import { cockpitHome, serveCockpit } from './cockpit.ts'
import type { Config } from './config.ts'
import { createConfinement } from './confinement/index.ts'
import { sampleHome, suggestedPrompt } from './demo/index.ts'
import { createFaultBook } from './diagnostics/index.ts'
import { createHandlers } from './handlers/index.ts'
import { listLimits, usualLimits } from './limits.ts'
import { type BridgeParts, createBridge, type DeniedEgress } from './llm/bridge.ts'
import { createDispatcher, createNetworkDesk, readSettings, readSystemNames, systemFile } from './network/index.ts'
import { type HandlersOf, OncePerKey, OpenCalls, OpenStreams, type Projection, registerBlocks } from './projection/index.ts'
import { createProbes } from './providers/index.ts'
import { createKeeping, createSweeper } from './retention/index.ts'
import { type RewindParts, recoverChanges } from './rewinds/index.ts'
import { createFeed, createRuns, type Feed, type RunLimits } from './runs/index.ts'
import { measureLog, refuseFault, type Store } from './storage/index.ts'
import { createWatch } from './watch/index.ts'

/** What tests and the command line set; a server that serves a person runs on the defaults. */
export interface AppOptions<Extra extends BlockList = BlockList> {
  readonly limits?: Partial<Limits>
  readonly runLimits?: Partial<RunLimits>
  readonly modelLimits?: NonNullable<BridgeParts['limits']>
  /** Milliseconds between two recorded words. */
  readonly fixturePaceMs?: number
  readonly replies?: Projection<BlockList>['replies']
  readonly log?: { readonly level: string; readonly stream: Pick<Writable, 'write'> }
  /** Blocks beside the product's own, with their handlers. */
  readonly extra?: { readonly blocks: Extra; readonly handlers: HandlersOf<Extra> }
}

export interface App {
  readonly boundary: Boundary
  readonly accounts: Accounts
  /** Note what came of a request that was not answered here: the time is milliseconds since 1970. */
  record(answered: Answered, at: number): void
  /** Stop everything in order: no new call, active runs interrupted, their streams ended, the store closed. */
  close(): Promise<void>
}

export interface AppGround {
  readonly store: Store
  /** Whose socket passes requests on to this app; null when it listens itself. */
  readonly front: Boundary | null
}

/**
 * Build the server of one configuration.
 *
 * Contract: when it returns, the runs of dead processes are ended and every route is there; nothing
 * listens. A refusal has closed the store.
 * Refuses: storage_full, and the other faults of the store that have a name.
 */
export async function buildApp<const Extra extends BlockList = readonly []>(
  config: Config,
  options: AppOptions<Extra>,
  given: AppGround,
): Promise<Result<App>> {
  try {
    return ok(await assemble(config, options, given))
  } catch (cause) {
    given.store.close()
    return refuseFault(cause)
  }
}

async function assemble<const Extra extends BlockList>(
  config: Config,
  options: AppOptions<Extra>,
  { store, front }: AppGround,
): Promise<App> {
  const limits = { ...defaultLimits, ...options.limits }
  const rates = new RateBook(limits.rates, clock.elapsed)
  const given = options.log ?? { level: 'warn', stream: process.stderr }
  const lines = createBoundedLog({ stream: given.stream, elapsed: clock.elapsed, linesPerMinute: limits.logLinesPerMinute })
  const book = createAuditBook({
    events: store.securityEvents,
    now: clock.now,
    report: (cause) => void reportFault(app.log, cause),
  })
  const accounts = createAccounts({
    store,
    ...clock,
    takeAttempt: (whose) => rates.take('secret', whose),
    noteSlowdown: (slowdown) => noteSlowdown(book, slowdown),
  })
  const faults = createFaultBook(clock.now)
  const boundary = createBoundary({
    accounts,
    onFault: faults.note,
    rates,
    limits,
    witness: (answered) => noteAnswer(book, answered),
    log: { level: given.level, stream: lines },
  })
  const { app } = boundary
  const report = (cause: unknown) => {
    noteFault(book, cause)
    return reportFault(app.log, cause)
  }
  const watch = createWatch({
    clock,
    busy,
    logBytes: () => measureLog(store.homes.data),
    report: ({ kind, ...trouble }) => {
      noteServer(book, kind)
      app.log.warn(trouble, kind === 'blocked' ? 'the server stood still' : 'the log of the database outgrew its bound')
    },
    repeat,
  })
  const denied = (egress: DeniedEgress) => noteDeniedEgress(book, egress)
  const rooms = openRooms(config, options, { store, accounts, report, denied })

  const served = options.extra ? defineModule([...blocks, ...options.extra.blocks]) : blocks
  const handlers = createHandlers({
    ...rooms,
    store,
    accounts,
    book,
    watch,
    faults,
    homes: config.homes,
    clock,
    ids,
    sample: { source: sampleHome, home: config.homes.demo, name: 'spoken-durations', suggestedPrompt },
    userHome: homedir(),
    version: config.version,
    fixtures: config.fixtures,
    limits: listLimits({
      boundary: limits,
      runs: { ...usualLimits.runs, ...options.runLimits },
      model: { ...usualLimits.model, ...options.modelLimits },
    }),
    served,
    bound: () => socketAddress((front?.app ?? app).server.address()),
  })
  const calls = new OpenCalls()
  const streams = new OpenStreams(limits, clock.elapsed)
  registerBlocks<BlockList>(app, {
    blocks: served,
    handlers: { ...handlers, ...options.extra?.handlers } as unknown as HandlersOf<BlockList>,
    version: config.version,
    once: new OncePerKey(store.idempotency, clock.now),
    calls,
    streams: { open: streams, limits, accounts },
    replies: options.replies ?? 'trusted',
  })
  await serveCockpit(app, cockpitHome)
  await recoverChanges(rooms.rewinds)
  await rooms.runs.recover()
  await app.ready()
  noteServer(book, 'started')
  rooms.sweeper.wake()

  return {
    boundary,
    accounts,
    record: (answered, at) => noteAnswer(book, answered, at),
    close: async () => {
      watch.stop()
      boundary.shut()
      await rooms.runs.close()
      await rooms.probes.close()
      await rooms.sweeper.close()
      await streams.endAll()
      calls.abortAll()
      await rooms.confinement.close()
      rooms.dispatcher.close()
      await app.close()
      noteServer(book, 'stopped')
      await book.flush()
      lines.flush()
      store.close()
    },
  }
}

interface Ground {
  readonly store: Store
  readonly accounts: Accounts
  readonly report: (cause: unknown) => string
  readonly denied: (egress: DeniedEgress) => void
}

/** The rooms that do the work: processes, models, runs. */
function openRooms(config: Config, options: AppOptions, ground: Ground) {
  const { store, accounts } = ground
  const confinement = createConfinement({
    homes: [store.homes.data, store.homes.keys],
    userHome: homedir(),
    scratch: join(tmpdir(), `bridlewise-${process.getuid?.() ?? 0}`),
    toolchains: [],
    binary: guardianBinary,
  })
  const dispatcher = createDispatcher({
    environment: config.proxy,
    system: readSystemNames(systemFile),
    authoritiesFile: config.authoritiesFile,
    settings: () => readSettings(store),
  })
  const network = createNetworkDesk({ store, dispatcher, now: clock.now })
  const bridge = createBridge({
    dispatcher,
    clock,
    ids,
    version: config.version,
    fixtures: config.fixtures,
    onDenied: ground.denied,
    ...(options.modelLimits ? { limits: options.modelLimits } : {}),
    ...(options.fixturePaceMs === undefined ? {} : { fixturePaceMs: options.fixturePaceMs }),
  })
  const probes = createProbes({ store, bridge, clock, ids, reportFault: ground.report })
  const tools = createToolRegistry(builtinTools)
  const feed = createFeed(store)
  const sweeper = createSweeper({ store, now: clock.now, isWatched: feed.isWatched, report: ground.report })
  const sweepAfter: Feed = {
    ...feed,
    close(runId) {
      feed.close(runId)
      sweeper.wake()
    },
  }
  const grants = () => admit(accounts)
  const rewinds: RewindParts = { store, clock, ids, grants, reportFault: ground.report }
  const runs = createRuns({
    store,
    bridge,
    budget: createBudget({ store, clock }),
    confinement,
    tools,
    feed: sweepAfter,
    clock,
    ids,
    grants,
    fixtures: config.fixtures,
    reportFault: ground.report,
    ...(options.runLimits ? { limits: options.runLimits } : {}),
  })
  return { confinement, dispatcher, network, bridge, probes, tools, feed, runs, rewinds, sweeper, keeping: createKeeping(store) }
}

/** The developer preview, as it was accepted at the setup. Asked anew for each run: a changed policy counts at once. */
function admit(accounts: Accounts): Result<Grants> {
  const acceptance = accounts.acceptance()
  if (acceptance) return admitDeveloperPreview(acceptance)
  return refuse('capability_denied', { capability: 'any capability', reason: 'nobody has accepted the developer preview' })
}

const ids: Ids = { next: (noun) => makeId(noun, Date.now(), randomBytes(16)) }

function busy(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Contract: keeps no process alive. */
function repeat(everyMs: number, tick: () => void): () => void {
  const timer = setInterval(tick, everyMs).unref()
  return () => clearInterval(timer)
}

function socketAddress(address: string | { readonly address: string; readonly port: number } | null) {
  return typeof address === 'object' ? address : null
}
