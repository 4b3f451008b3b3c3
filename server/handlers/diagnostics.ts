import type { diagnostics, Handlers } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { gatherInServer, type ServerParts } from '../diagnostics/index.ts'
import { readRedactions } from '../egress/index.ts'
import { type Dispatcher, placesOf } from '../network/index.ts'
import { measurePosture, type PostureParts } from '../posture/index.ts'
import type { CallContext } from '../projection/index.ts'
import type { Store } from '../storage/index.ts'

export interface DiagnosticsHandlerParts extends Pick<ServerParts, 'faults' | 'homes' | 'version'> {
  readonly posture: PostureParts
  readonly store: Pick<Store, 'users' | 'providers' | 'settings'>
  readonly dispatcher: Pick<Dispatcher, 'facts' | 'secrets'>
}

export function createDiagnosticsHandlers(parts: DiagnosticsHandlerParts): Handlers<typeof diagnostics, CallContext> {
  const { posture, store, dispatcher, faults, homes, version } = parts
  return {
    gather: async () => {
      const bundle = await gatherInServer({
        version,
        homes,
        faults,
        environment: process.env,
        findings: async () => (await measurePosture(posture)).lines,
        limits: posture.limits,
        secrets: () => [
          ...store.users.list().flatMap(({ id }) => store.providers.secrets({ userId: id })),
          ...dispatcher.secrets(),
          ...placesOf(dispatcher.facts()),
        ],
        rules: () => store.users.list().flatMap(({ id }) => readRedactions(store, { userId: id })),
        now: posture.clock.now,
      })
      return ok({ bundle })
    },
  }
}
