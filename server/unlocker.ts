/** From a passphrase to the whole server: one attempt at a time, on homes that stay held in between. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { App } from './app.ts'
import type { HeldHomes, Store } from './storage/index.ts'

export interface UnlockerParts {
  readonly held: HeldHomes
  /** Take the homes once more, where nothing could be built on the store that had them. */
  readonly hold: () => Result<HeldHomes>
  /** Contract: what it refuses holds nothing open. */
  readonly build: (store: Store) => Promise<Result<App>>
}

export interface Unlocker {
  /**
   * Contract: attempts wait for each other, so they need the memory of one. Each costs the same, right or
   * wrong. Nothing is kept of the passphrase.
   * Refuses: key_home_open, server_stopping, what `HeldHomes.open` and `build` refuse.
   */
  unlock(passphrase: string): Promise<Result<'open'>>
  /** Waits for the attempt under way, and closes what came of it. */
  close(): Promise<void>
}

export function createUnlocker({ held: first, hold, build }: UnlockerParts): Unlocker {
  let held: HeldHomes | null = first
  let app: App | null = null
  let stopping = false
  let last: Promise<unknown> = Promise.resolve()

  async function attempt(passphrase: string): Promise<Result<'open'>> {
    if (app !== null) return refuse('key_home_open')
    if (stopping) return refuse('server_stopping')
    const homes = held === null ? hold() : ok(held)
    if (!homes.ok) return homes
    held = homes.value
    const store = await held.open({ passphrase })
    if (!store.ok) return store
    // From here on the store holds them, and lets go of them when it is closed.
    held = null
    const built = await build(store.value)
    if (!built.ok) return built
    app = built.value
    return ok('open')
  }

  return {
    unlock(passphrase) {
      const mine = last.then(() => attempt(passphrase))
      last = mine.catch(() => undefined)
      return mine
    },
    async close() {
      stopping = true
      await last
      held?.release()
      await app?.close()
    },
  }
}
