/** Front door of the server: start one, in this process, on any homes and port. */
import type { BlockList } from '@bridlewise/shared'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { type App, type AppOptions, buildApp } from './app.ts'
import type { Bound } from './boundary/index.ts'
import type { Config } from './config.ts'
import { listen } from './listen.ts'
import { buildLocked } from './locked.ts'
import { type HeldHomes, holdHomes, openHeld, type Store, type Unlock } from './storage/index.ts'

export type { AppOptions } from './app.ts'
export { defaultLimits, type Limits } from './boundary/index.ts'
export { type Config, loopbackHosts, readConfig, type Variable, variables } from './config.ts'
export { listLimits, usualLimits } from './limits.ts'
export { type CallContext, callerOf, type HandlersOf, openApi } from './projection/index.ts'
export { growth } from './storage/index.ts'

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:5173`: what a person opens. */
  readonly url: string
  /** Resolves once the key home is unlocked; at once where it needs no passphrase, or got it. */
  readonly opened: Promise<void>
  isLocked(): boolean
  /** While nobody has set up; null afterwards, and while the key home is locked. */
  setupCode(): string | null
  /** Contract: takes at most 5 s and leaves no process, socket or lock behind. */
  close(): Promise<void>
}

/** `unlock` is what opens a protected key home; without its passphrase the server waits for it, locked. */
export type StartOptions<Extra extends BlockList = readonly []> = AppOptions<Extra> & { readonly unlock?: Unlock }

/**
 * Build a server and listen.
 *
 * Contract: the homes are held before anything is opened, so also while the server is locked.
 * Refuses: port_unusable, and what `holdHomes`, its `open` and `buildApp` refuse. Nothing stays open then.
 */
export async function startServer<const Extra extends BlockList = readonly []>(
  config: Config,
  { unlock = {}, ...options }: StartOptions<Extra> = {},
): Promise<Result<RunningServer>> {
  const held = holdHomes(config.homes)
  if (!held.ok) return held
  if (held.value.protection === 'passphrase' && unlock.passphrase === undefined) return startLocked(config, options, held.value)
  const store = await openHeld(held.value, unlock)
  return store.ok ? startOpen(config, options, store.value) : store
}

async function startOpen(config: Config, options: AppOptions<BlockList>, store: Store): Promise<Result<RunningServer>> {
  const built = await buildApp(config, options, { store, front: null })
  if (!built.ok) return built
  const app = built.value
  const bound = await listen(app.boundary, config)
  if (!bound.ok) {
    await app.close()
    return bound
  }
  return ok(describe(bound.value, { app: () => app, opened: Promise.resolve(), close: app.close }))
}

/** The same socket serves before and after the unlock, so nothing else can take its place in between. */
async function startLocked(config: Config, options: AppOptions<BlockList>, held: HeldHomes): Promise<Result<RunningServer>> {
  let app: App | null = null
  let bound: Result<Bound> | null = null
  const locked = await buildLocked(config, options, {
    held,
    hold: () => holdHomes(config.homes),
    async build(store) {
      const built = await buildApp(config, options, { store, front: locked.boundary })
      if (!built.ok || !bound?.ok) return built
      app = built.value
      app.boundary.open(bound.value)
      locked.boundary.passOn(app.boundary)
      return built
    },
  })
  bound = await listen(locked.boundary, config)
  if (!bound.ok) {
    await locked.close()
    return bound
  }
  const opened = locked.opened.then(() => undefined)
  return ok(describe(bound.value, { app: () => app, opened, close: locked.close }))
}

interface Serving {
  readonly app: () => App | null
  readonly opened: Promise<void>
  readonly close: () => Promise<void>
}

function describe({ address, port }: Bound, { app, opened, close: closeIt }: Serving): RunningServer {
  const close = closeOnce(closeIt)
  return {
    url: `http://${address === '::1' ? '[::1]' : address}:${port}`,
    opened,
    isLocked: () => app() === null,
    setupCode: () => app()?.accounts.setupCode() ?? null,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => {
    closing ??= close()
    return closing
  }
}
