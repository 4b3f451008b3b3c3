import type { Handlers, health } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import type { CallContext } from '../projection/index.ts'

export function createHealthHandlers(deps: { readonly version: string }): Handlers<typeof health, CallContext> {
  return { get: async () => ok({ status: 'ok', version: deps.version }) }
}
