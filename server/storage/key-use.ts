/** Counts how often each key sealed, without a write for each: numbers are taken from the list in blocks. */
import type { Database } from './database.ts'
import { StorageFault } from './fault.ts'

export interface KeyUse {
  /**
   * Contract: the number in the list is never below the count, also after a kill. That holds as long
   * as fewer than half a block is sealed in one tick of the event loop.
   */
  count(keyId: string): void
  /** For a key that is about to seal: takes a block before the first value. */
  begin(keyId: string): void
  /** Gives back what was taken and not used. For an orderly stop. */
  settle(): void
}

const block = 2 ** 16

export function createKeyUse(database: Database): KeyUse {
  const add = database.prepare<[number, string]>('UPDATE keys SET seals = seals + ? WHERE id = ?')
  const left = new Map<string, number>()
  let taking = false

  function note(keyId: string): void {
    left.set(keyId, (left.get(keyId) ?? 0) + block)
  }

  /** In a commit of its own: one inside the caller's transaction would be undone with it. */
  async function takeSoon(keyId: string): Promise<void> {
    taking = true
    try {
      await database.enqueue(() => add.run(block, keyId))
      note(keyId)
    } catch {
      // Nowhere to write it now, so nothing else is written either; the next seal tries again.
    } finally {
      taking = false
    }
  }

  return {
    begin(keyId) {
      add.run(block, keyId)
      note(keyId)
    },
    count(keyId) {
      const rest = (left.get(keyId) ?? 0) - 1
      left.set(keyId, rest)
      if (rest < block / 2 && !taking) void takeSoon(keyId)
    },
    settle() {
      try {
        for (const [keyId, unused] of left) add.run(-unused, keyId)
      } catch (error) {
        // On a full disk the list keeps saying more than was used, which is the safe side.
        if (!(error instanceof StorageFault)) throw error
      }
    },
  }
}
