/** A process that goes back in a chat and is killed on the way. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Homes, Owner } from '../../server/storage/index.ts'
import { compileCache } from './crash-writer.ts'

const file = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path))

/** Dies by its own hand when the store is asked for `step`, before or after it did it. */
const rewinder = `
  import { admitHarness } from ${file('engine/src/index.ts')}
  import { openStore } from ${file('server/storage/index.ts')}
  import { rewindChat } from ${file('server/rewinds/index.ts')}
  import { newId } from ${file('tests/support/store.ts')}
  const { homes, owner, chatId, target, dies } = JSON.parse(process.argv[1])
  const opened = await openStore(homes)
  if (!opened.ok) throw new Error(opened.refusal.message)
  const store = opened.value
  const die = () => process.kill(process.pid, 'SIGKILL')
  const around = (name, work) => (...given) => {
    if (dies === 'before ' + name) die()
    const done = work(...given)
    if (dies === 'after ' + name) die()
    return done
  }
  const rewinds = { ...store.rewinds, open: around('journal', store.rewinds.open), close: around('close', store.rewinds.close) }
  const parts = {
    store: { ...store, rewinds, transaction: around('record', store.transaction) },
    clock: { now: Date.now, elapsed: () => performance.now() },
    ids: { next: newId },
    grants: () => ({ ok: true, value: admitHarness() }),
    reportFault: (fault) => { throw fault },
  }
  await rewindChat(parts, owner, { chatId, target, mode: 'both', decided: [] })`

export interface RewindingJob {
  readonly homes: Homes
  readonly owner: Owner
  readonly chatId: string
  readonly target: string
  readonly dies: string
}

/** Contract: resolves once the process is dead; rejects when it was not killed. */
export async function rewindAndDie(job: RewindingJob): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', rewinder, JSON.stringify(job)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const [, signal] = await once(child, 'exit')
  if (signal !== 'SIGKILL') throw new Error('it was done before it could be killed')
}
