/** How much is kept, and for how long: what an owner chose, within what an administrator allows. */
import type { Owner, RetentionBounds, Store } from '../storage/index.ts'

const gibibyte = 2 ** 30

/** For an owner who chose nothing, and at most for anybody while no administrator said otherwise. */
export const usualRetention = {
  kept: { bytes: gibibyte, days: 90 },
  most: { bytes: 16 * gibibyte, days: 3650 },
} as const satisfies Record<string, RetentionBounds>

export type LimitStore = Pick<Store, 'retention' | 'settings'>

export function readBounds({ retention }: LimitStore): RetentionBounds {
  const { bytes, days } = retention.bounds()
  return { bytes: bytes ?? usualRetention.most.bytes, days: days ?? usualRetention.most.days }
}

/** Contract: never above the bounds, also when those were lowered after the owner chose. */
export function readLimits(store: LimitStore, owner: Owner): RetentionBounds {
  const chosen = store.settings.get(owner, 'retention') ?? usualRetention.kept
  const most = readBounds(store)
  return { bytes: Math.min(chosen.bytes, most.bytes), days: Math.min(chosen.days, most.days) }
}
