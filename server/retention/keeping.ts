/** What an owner sees and sets of what is kept, and what an administrator sets for everybody. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { KeptContent, Owner, RetentionBounds, Store } from '../storage/index.ts'
import { readBounds, readLimits } from './limits.ts'

export interface Keeping {
  look(owner: Owner): { readonly kept: KeptContent; readonly limits: RetentionBounds; readonly most: RetentionBounds }
  /** Refuses: retention_bound, when it is more than an administrator allows. */
  setLimits(owner: Owner, limits: RetentionBounds): Result<RetentionBounds>
  /**
   * Contract: reads the role of whoever acts anew. What somebody chose above it stays chosen and does not count.
   * Refuses: access_denied.
   */
  setBounds(acting: Owner, most: RetentionBounds): Result<RetentionBounds>
}

export function createKeeping(store: Pick<Store, 'retention' | 'settings' | 'users'>): Keeping {
  return {
    look: (owner) => ({
      kept: store.retention.measure(owner),
      limits: readLimits(store, owner),
      most: readBounds(store),
    }),
    setLimits(owner, limits) {
      const most = readBounds(store)
      if (limits.bytes > most.bytes || limits.days > most.days) {
        return refuse('retention_bound', { mebibytes: most.bytes / 2 ** 20, days: most.days })
      }
      store.settings.set(owner, 'retention', limits)
      return ok(limits)
    },
    setBounds(acting, most) {
      if (store.users.get(acting.userId)?.role !== 'admin') return refuse('access_denied')
      store.retention.setBounds(most)
      return ok(most)
    },
  }
}
