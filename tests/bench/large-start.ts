/** A start on a database of one gigabyte beside a start on an empty one: what is read before the first answer must not grow with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openStore } from '../../server/storage/index.ts'
import { need } from '../support/script-client.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, interleave, median } from './measure.ts'
import { residentMegabytes } from './watch.ts'

const megabytes = 1024
const rounds = 5

export async function benchLargeStart(): Promise<Figure[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-large-'))
  const [large, empty] = [path.join(base, 'large'), path.join(base, 'empty')]
  const memory: number[] = []
  try {
    await fill(large)
    const cold = await timeStart(large, [])
    await timeStart(empty, [])
    const { ours, yardstick } = await interleave(
      rounds,
      () => timeStart(large, memory),
      () => timeStart(empty, []),
    )
    const beside = { name: 'an empty one', value: yardstick }
    return [
      { name: `start on ${megabytes} MB to the address, files warm`, value: ours, unit: 'ms', beside },
      { name: 'the same, the first time after it was written', value: cold, unit: 'ms', beside },
      { name: 'resident memory then', value: median(memory), unit: 'MB' },
    ]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Sealed ledger entries of a megabyte each, written as the server writes them. */
async function fill(base: string): Promise<void> {
  const store = need(await openStore({ data: path.join(base, 'data'), keys: path.join(base, 'keys') }))
  const scope = { userId: 'user_nobody', runId: null, chatId: null }
  const payload = { severity: 'info' as const, title: 'x', text: 'y'.repeat(2 ** 20), evidence: [] }
  for (let n = 0; n < megabytes; n += 16) {
    const entries = Array.from({ length: 16 }, () => store.ledger.append(scope, { kind: 'finding', source: 'server', payload }))
    await Promise.all(entries)
  }
  store.close()
}

async function timeStart(base: string, memory: number[]): Promise<number> {
  const started = performance.now()
  const server = await ServerProcess.start({}, base)
  const took = performance.now() - started
  memory.push(residentMegabytes(server.pid))
  await server.kill('SIGTERM')
  return took
}
