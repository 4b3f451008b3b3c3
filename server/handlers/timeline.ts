import type { Clock } from '@bridlewise/engine'
import type { Handlers, timeline } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Ledger } from '../storage/index.ts'

export interface TimelineParts {
  readonly ledger: Pick<Ledger, 'list' | 'verify'>
  readonly clock: Clock
}

export function createTimelineHandlers({ ledger, clock }: TimelineParts): Handlers<typeof timeline, CallContext> {
  return {
    list: async (context, filter) => {
      const { items, next } = ledger.list(callerOf(context), filter)
      return ok({ beats: [...items], next })
    },
    verify: async (context, input) => {
      const begun = clock.elapsed()
      const { valid, entries, head, receipt, broken } = await ledger.verify(context.signal, input.head)
      return ok({ valid, entries, head, receipt, broken, ms: clock.elapsed() - begun })
    },
  }
}
