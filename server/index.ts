/** Front door of the server: start one, in this process, on any homes and port. */
import type { BlockList } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type App, type AppOptions, buildApp } from './app.ts'
import type { Bound } from './boundary/index.ts'
import type { Config } from './config.ts'

export type { AppOptions } from './app.ts'
export { defaultLimits, type Limits } from './boundary/index.ts'
export { type Config, loopbackHosts, readConfig, type Variable, variables } from './config.ts'
export { listLimits, usualLimits } from './limits.ts'
export { growth } from './storage/index.ts'
export { type CallContext, callerOf, type HandlersOf, openApi } from './projection/index.ts'

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:5173`: what a person opens. */
  readonly url: string
  /** While nobody has set up; null afterwards. */
  setupCode(): string | null
  /** Contract: takes at most 5 s and leaves no process, socket or lock behind. */
  close(): Promise<void>
}

/**
 * Build a server and listen.
 *
 * Contract: `localhost` is bound as 127.0.0.1 and never resolved. The host names that are served are
 * those of the port that the socket really got.
 * Refuses: port_unusable, and what `buildApp` refuses. Nothing stays open then.
 */
export async function startServer<const Extra extends BlockList = readonly []>(
  config: Config,
  options: AppOptions<Extra> = {},
): Promise<Result<RunningServer>> {
  const built = await buildApp(config, options)
  if (!built.ok) return built
  const app = built.value
  const bound = await listen(app, config)
  if (!bound.ok) {
    await app.close()
    return bound
  }
  const { address, port } = bound.value
  const close = closeOnce(app)
  return ok({
    url: `http://${address === '::1' ? '[::1]' : address}:${port}`,
    setupCode: () => app.accounts.setupCode(),
    close,
    [Symbol.asyncDispose]: close,
  })
}

async function listen({ boundary }: App, config: Config): Promise<Result<Bound>> {
  const address = config.host === '::1' ? '::1' : '127.0.0.1'
  try {
    await boundary.app.listen({ host: address, port: config.port })
  } catch (cause) {
    const problem = cause instanceof Error && 'code' in cause ? listenProblems.get(cause.code) : undefined
    if (problem === undefined) throw cause
    return refuse('port_unusable', { port: config.port, problem })
  }
  const socket = boundary.app.server.address()
  if (typeof socket !== 'object' || socket === null) throw new Error('a listening server has no address')
  const bound: Bound = { address, port: socket.port }
  boundary.open(bound)
  return ok(bound)
}

const listenProblems: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'something else listens there'],
  ['EACCES', 'this user may not listen there'],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
])

function closeOnce(app: App): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => {
    closing ??= app.close()
    return closing
  }
}
