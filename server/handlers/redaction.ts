import type { Clock, Ids } from '@bridlewise/engine'
import type { Handlers, redaction } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { addRedaction, readRedactions, removeRedaction, tryRedactions } from '../egress/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Store } from '../storage/index.ts'

export interface RedactionHandlerParts {
  readonly store: Pick<Store, 'settings'>
  readonly clock: Clock
  readonly ids: Ids
}

export function createRedactionHandlers(parts: RedactionHandlerParts): Handlers<typeof redaction, CallContext> {
  const { store, clock, ids } = parts
  return {
    list: async (context) => ok({ redactions: [...readRedactions(store, callerOf(context))] }),
    create: async (context, given) => {
      const added = addRedaction(store, callerOf(context), { id: ids.next('redaction'), ...given, createdAt: clock.now() })
      return added.ok ? ok({ redaction: added.value }) : added
    },
    remove: async (context, { redactionId }) => {
      const removed = removeRedaction(store, callerOf(context), redactionId)
      return removed.ok ? ok({}) : removed
    },
    try: async (context, { text, rule }) => {
      const kept = readRedactions(store, callerOf(context))
      const tried = await tryRedactions({ text, rules: rule ? [...kept, rule] : kept }, context.signal)
      return tried.ok ? ok({ text: tried.value.text, counts: { ...tried.value.counts } }) : tried
    },
  }
}
