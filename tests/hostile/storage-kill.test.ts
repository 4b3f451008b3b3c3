/** The server is killed while it writes. What it had acknowledged must be there, whole, and nothing half. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { Homes, RunScope } from '../../server/storage/index.ts'
import { addRun, addUser, openTempStore } from '../support/store.ts'

const room = join(import.meta.dirname, '../../server/storage/index.ts')

/** Writes beats and frames as fast as it can and prints the number of each pair once both are durable. */
const writer = `
  import { openStore } from ${JSON.stringify(room)}
  const { homes, scope, from } = JSON.parse(process.argv[1])
  const opened = await openStore(homes)
  if (!opened.ok) throw new Error(opened.refusal.message)
  const payload = { severity: 'info', title: 'x', text: 'y'.repeat(2000), evidence: [] }
  for (let number = from; ; number += 1) {
    const frame = { number, kind: 'text', step: 1, text: String(number) }
    await Promise.all([
      opened.value.ledger.append(scope, { kind: 'finding', source: 'server', payload }),
      opened.value.frames.append(scope, [frame]),
    ])
    console.log(number)
  }`

describe('a server killed under load', () => {
  it('keeps every write that it acknowledged, and a ledger that verifies, again and again', { timeout: 90_000 }, async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    for (let round = 0; round < 3; round += 1) {
      const from = temp.store.frames.lastNumber(scope, scope.runId) + 1
      temp.store.close()
      const acknowledged = await killAfter(20 + round * 31, { homes: temp.homes, scope, from })
      const store = await temp.reopen()
      expect(temp.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      const last = store.frames.lastNumber(scope, scope.runId)
      expect(last).toBeGreaterThanOrEqual(acknowledged)
      expect(store.frames.read(scope, scope.runId, { after: from - 1, limit: 5000 })).toHaveLength(last - from + 1)
      expect(await store.ledger.verify()).toMatchObject({ valid: true, entries: last })
    }
  })
})

interface Job {
  readonly homes: Homes
  readonly scope: RunScope
  /** Number of the first frame to write. */
  readonly from: number
}

/** Kills the writer once it has acknowledged `count` more pairs; answers with the last number it printed. */
async function killAfter(count: number, job: Job): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  let last = 0
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line)
    if (last >= job.from + count) child.kill('SIGKILL')
  }
  await gone
  return last
}
