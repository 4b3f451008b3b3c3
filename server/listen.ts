/** From a boundary to a socket. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Bound, Boundary } from './boundary/index.ts'
import type { Config } from './config.ts'

/**
 * Contract: `localhost` is bound as 127.0.0.1 and never resolved. The host names that are served are
 * those of the port that the socket really got.
 * Refuses: port_unusable.
 */
export async function listen(boundary: Boundary, config: Pick<Config, 'host' | 'port'>): Promise<Result<Bound>> {
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
