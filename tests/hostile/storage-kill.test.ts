/**
 * The server is killed while it writes. What it had acknowledged must be there, whole, and nothing half.
 *
 * BRIDLEWISE_KILL_ROUNDS sets another number of kills.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { crashWriter } from '../support/crash-writer.ts'
import { addRun, addUser, openTempStore } from '../support/store.ts'

const rounds = Number(process.env['BRIDLEWISE_KILL_ROUNDS'] ?? 60)

describe('a server killed under load, at moments drawn at random', () => {
  it('keeps every write that it acknowledged, and a ledger that verifies, again and again', {
    timeout: 60_000 + rounds * 10_000,
  }, async () => {
    const seed = randomInt(2 ** 31)
    console.info(`the moments of ${rounds} kills are drawn from seed ${seed}`)
    const draw = drawFrom(seed)
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    let beyond = 0
    for (let round = 0; round < rounds; round += 1) {
      const where = `seed ${seed}, round ${round}`
      const from = temp.store.frames.lastNumber(scope, scope.runId) + 1
      temp.store.close()
      const acknowledged = await crashWriter({ homes: temp.homes, scope, from }, draw(60))
      const store = await temp.reopen()
      expect(temp.rows('PRAGMA integrity_check'), where).toEqual([{ integrity_check: 'ok' }])
      const last = store.frames.lastNumber(scope, scope.runId)
      expect(last, where).toBeGreaterThanOrEqual(acknowledged)
      beyond += last - Math.max(acknowledged, from - 1)
      const [frames] = temp.rows<{ n: number }>('SELECT count(*) AS n FROM frames')
      expect(frames?.n, where).toBe(last)
    }
    const { entries, valid } = await temp.store.ledger.verify()
    expect([valid, entries]).toEqual([true, temp.store.frames.lastNumber(scope, scope.runId)])
    console.info(`${entries} pairs in all, ${beyond} of them on the disk and not yet acknowledged when the kill came`)
  })
})

/** Numbers below a limit, the same for the same seed (a linear congruence, as in Numerical Recipes). */
function drawFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
