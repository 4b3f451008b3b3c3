import type { Handlers, lock } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { CallContext } from '../projection/index.ts'

/** Refuses: rate_limited, passphrase_wrong, and what keeps an unlocked server from starting. */
export type Unlocking = (passphrase: string, address: string) => Promise<Result<'open'>>

/** Null where nothing is locked: no passphrase is looked at then. */
export function createLockHandlers(unlocking: Unlocking | null): Handlers<typeof lock, CallContext> {
  return {
    status: async () => ok({ state: unlocking ? 'locked' : 'open' }),
    unlock: async ({ whence }, { passphrase }) => {
      if (unlocking === null) return refuse('key_home_open')
      const state = await unlocking(passphrase, whence.address)
      return state.ok ? ok({ state: state.value }) : state
    },
  }
}
