/** The context of a call by a person, for tests that call handlers directly. */
import type { CallContext } from '../../server/projection/index.ts'
import type { Owner } from '../../server/storage/index.ts'

export function contextOf({ userId }: Owner, more: Partial<CallContext> = {}): CallContext {
  return {
    caller: { userId, username: 'somebody', role: 'member', epoch: 0, blocks: null, via: { kind: 'session', id: 'session' } },
    whence: { address: 'loopback', device: null },
    signal: new AbortController().signal,
    idempotencyKey: null,
    lastEventId: null,
    requestId: 'test',
    cookie: { set: () => undefined, clear: () => undefined },
    keepWhile: () => undefined,
    identify: () => undefined,
    ...more,
  }
}
