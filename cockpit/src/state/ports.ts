/** What state needs from outside. Tests and other hosts bring their own. */
import type { BrowserStore, CockpitClient } from '../client/index.ts'

export interface StatePorts {
  readonly client: CockpitClient
  readonly store: BrowserStore
  /** A fresh Idempotency-Key. */
  readonly newKey: () => string
  readonly now: () => number
}
