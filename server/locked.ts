/** The server while its key home is locked: the cockpit's files, whether it is up, and the way to unlock. There is nothing else to call. */
import { type BlockList, health, lock } from '@bridlewise/shared'
import { type Result, refuse } from '@bridlewise/shared/refusals'
import type { App, AppOptions } from './app.ts'
import { type Answered, type Boundary, createBoundary, createBoundedLog, defaultLimits, RateBook } from './boundary/index.ts'
import { clock } from './clock.ts'
import { cockpitHome, serveCockpit } from './cockpit.ts'
import type { Config } from './config.ts'
import { createHealthHandlers, createLockHandlers } from './handlers/index.ts'
import { type HandlersOf, OpenCalls, registerBlocks } from './projection/index.ts'
import type { Store } from './storage/index.ts'
import { createUnlocker, type UnlockerParts } from './unlocker.ts'

export interface Locked {
  /** It keeps the socket; once unlocked it passes every request on. */
  readonly boundary: Boundary
  /** Resolves with the whole server once that answers. */
  readonly opened: Promise<App>
  close(): Promise<void>
}

/** What the record of security events gets after the unlock; the newest are kept. */
const mostKept = 1_000

/**
 * Build what answers while the key home is locked.
 *
 * Contract: no route but those of `served` exists, and nobody can be known, so every other call under
 * `/api` is refused before it could reach anything. What was refused meanwhile is recorded once there is
 * a record; a wrong passphrase is logged at once.
 */
export async function buildLocked(
  config: Config,
  options: Pick<AppOptions, 'limits' | 'log' | 'replies'>,
  parts: UnlockerParts,
): Promise<Locked> {
  const { promise: opened, resolve } = Promise.withResolvers<App>()
  const limits = { ...defaultLimits, ...options.limits }
  const rates = new RateBook(limits.rates, clock.elapsed)
  const given = options.log ?? { level: 'warn', stream: process.stderr }
  const lines = createBoundedLog({ stream: given.stream, elapsed: clock.elapsed, linesPerMinute: limits.logLinesPerMinute })
  const kept: { readonly answered: Answered; readonly at: number }[] = []
  let record: App['record'] = (answered, at) => {
    if (kept.push({ answered, at }) > mostKept) kept.shift()
    if (answered.code === 'passphrase_wrong') boundary.app.log.warn({ refusal: answered.code }, 'refused while locked')
  }
  const boundary = createBoundary({
    accounts: null,
    onFault: () => undefined,
    rates,
    limits,
    witness: (answered) => record(answered, clock.now()),
    log: { level: given.level, stream: lines },
  })
  const unlocker = createUnlocker({ ...parts, build: buildAndRecord })

  async function buildAndRecord(store: Store): Promise<Result<App>> {
    const built = await parts.build(store)
    if (built.ok) {
      record = built.value.record
      for (const { answered, at } of kept.splice(0)) record(answered, at)
      resolve(built.value)
    }
    return built
  }

  const calls = new OpenCalls()
  registerBlocks<BlockList>(boundary.app, {
    blocks: [health, lock],
    handlers: {
      health: createHealthHandlers({ version: config.version }),
      lock: createLockHandlers(async (passphrase, address) => {
        const seconds = rates.take('secret', address)
        return seconds > 0 ? refuse('rate_limited', { seconds }) : unlocker.unlock(passphrase)
      }),
    } as unknown as HandlersOf<BlockList>,
    version: config.version,
    once: null,
    calls,
    streams: null,
    replies: options.replies ?? 'trusted',
  })
  await serveCockpit(boundary.app, cockpitHome)
  await boundary.app.ready()

  return {
    boundary,
    opened,
    async close() {
      boundary.shut()
      await unlocker.close()
      calls.abortAll()
      await boundary.app.close()
      lines.flush()
    },
  }
}
