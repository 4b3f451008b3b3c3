/** The server is killed while it writes. What it had acknowledged must be there, whole, and nothing half. */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { crashWriter } from '../support/crash-writer.ts'
import { addRun, addUser, openTempStore } from '../support/store.ts'

const rounds = 30

describe('a server killed under load, at moments drawn at random', () => {
  it('keeps every write that it acknowledged, and a ledger that verifies, again and again', { timeout: 180_000 }, async () => {
    const seed = randomInt(2 ** 31)
    console.info(`the moments of ${rounds} kills are drawn from seed ${seed}`)
    const draw = drawFrom(seed)
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    for (let round = 0; round < rounds; round += 1) {
      const where = `seed ${seed}, round ${round}`
      const from = temp.store.frames.lastNumber(scope, scope.runId) + 1
      temp.store.close()
      const acknowledged = await crashWriter({ homes: temp.homes, scope, from }, draw(60))
      const store = await temp.reopen()
      expect(temp.rows('PRAGMA integrity_check'), where).toEqual([{ integrity_check: 'ok' }])
      const last = store.frames.lastNumber(scope, scope.runId)
      expect(last, where).toBeGreaterThanOrEqual(acknowledged)
      const [frames] = temp.rows<{ n: number }>('SELECT count(*) AS n FROM frames')
      expect(frames?.n, where).toBe(last)
    }
    const { entries, valid } = await temp.store.ledger.verify()
    expect([valid, entries]).toEqual([true, temp.store.frames.lastNumber(scope, scope.runId)])
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
