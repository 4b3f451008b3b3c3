/** What every repository is made of. */
import type { Database } from './database.ts'
import type { Seal } from './seal.ts'

export interface StoreContext {
  readonly database: Database
  readonly seal: Seal
  /** Names this start of this server. */
  readonly bootId: string
  readonly now: () => number
}
