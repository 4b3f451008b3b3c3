import type { Handlers, network } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { describeProxy, describeSent, describeSources, type NetworkDesk } from '../network/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'

const toWire = (one: { readonly fingerprint: string; readonly name: string; readonly expiresAt: number }) => ({
  id: one.fingerprint,
  name: one.name,
  expiresAt: one.expiresAt,
})

export function createNetworkHandlers(desk: NetworkDesk): Handlers<typeof network, CallContext> {
  return {
    get: async () => {
      const facts = desk.look()
      return ok({
        proxy: describeProxy(facts),
        proxies: describeSources(facts),
        sent: describeSent(facts),
        authorities: facts.authorities.stored.map(toWire),
        fromEnvironment: facts.authorities.fromEnvironment,
      })
    },
    setProxy: async (context, wish) => {
      const set = desk.setProxy(callerOf(context), wish)
      return set.ok ? ok({}) : set
    },
    removeProxy: async (context) => {
      const removed = desk.removeProxy(callerOf(context))
      return removed.ok ? ok({}) : removed
    },
    addAuthorities: async (context, { certificates }) => {
      const added = desk.addAuthorities(callerOf(context), certificates)
      return added.ok ? ok({ added: added.value.length }) : added
    },
    removeAuthority: async (context, { authorityId }) => {
      const removed = desk.removeAuthority(callerOf(context), authorityId)
      return removed.ok ? ok({}) : removed
    },
  }
}
