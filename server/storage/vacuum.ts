/** The database without what was deleted from it: erased to the end, written anew, and no older page in the log. */
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { refuseFault } from './fault.ts'
import { measureDatabase } from './integrity.ts'
import { requireSpace, startFloorBytes } from './space.ts'
import type { Store } from './store.ts'

export interface Vacuumed {
  /** Bytes of the database and its log, before and after. */
  readonly before: number
  readonly after: number
}

/**
 * Write the database of an open store anew.
 *
 * Contract: nothing is lost when it is killed; SQLite keeps the old file until the new one is whole.
 * Holds the event loop, so a server that serves does not call it.
 * Refuses: data_home_full, storage_full.
 */
export async function vacuumStore(store: Pick<Store, 'homes' | 'erasure' | 'reclaim'>): Promise<Result<Vacuumed>> {
  const path = join(store.homes.data, 'bridlewise.db')
  const before = measureDatabase(path)
  const space = requireSpace(store.homes.data, 2 * before + startFloorBytes)
  if (!space.ok) return space
  try {
    while (store.erasure.step()) await nextTurn()
    store.reclaim.rebuild()
    store.reclaim.truncateLog()
    return ok({ before, after: measureDatabase(path) })
  } catch (error) {
    return refuseFault(error)
  }
}
