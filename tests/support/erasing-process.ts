/** A process that erases, one step after another, and is killed after a step. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Homes, Owner } from '../../server/storage/index.ts'
import { compileCache } from './crash-writer.ts'

const room = (name: string) => JSON.stringify(join(import.meta.dirname, '../../server', name, 'index.ts'))

/** Each line is one commit that is on the disk. */
const eraser = `
  import { openStore } from ${room('storage')}
  import { createSweeper } from ${room('retention')}
  const { homes, owner, chatId } = JSON.parse(process.argv[1])
  const opened = await openStore(homes)
  if (!opened.ok) throw new Error(opened.refusal.message)
  const store = opened.value
  const step = () => {
    const more = store.erasure.step()
    console.log('step')
    return more
  }
  const slowly = { ...store, erasure: { ...store.erasure, step } }
  if (chatId !== null) store.chats.remove(owner, chatId)
  const sweeper = createSweeper({ store: slowly, now: Date.now, isWatched: () => false, report: (cause) => { throw cause } })
  await sweeper.sweep()
  console.log('swept')`

export interface ErasingJob {
  readonly homes: Homes
  readonly owner: Owner
  /** The chat to delete; null to sweep only. */
  readonly chatId: string | null
}

/** Kills it after so many steps. Contract: rejects when it was done before. */
export async function eraseAndDie(job: ErasingJob, steps: number): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', eraser, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const gone = once(child, 'exit')
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'swept') throw new Error(`it was done after ${seen} steps`)
    seen += 1
    if (seen >= steps) child.kill('SIGKILL')
  }
  await gone
}
