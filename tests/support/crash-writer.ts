/** A process that writes beats and frames as fast as it can, and is killed in the middle of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Homes, RunScope } from '../../server/storage/index.ts'

const room = join(import.meta.dirname, '../../server/storage/index.ts')

/** The same as the server's; without it a process spends most of its short life on reading types away. */
export const compileCache = join(import.meta.dirname, '../../node_modules/.cache/bridlewise-compile')

/** Prints the number of each pair once beat and frame are both durable. */
const writer = `
  import { flushCompileCache } from 'node:module'
  import { openStore } from ${JSON.stringify(room)}
  flushCompileCache()
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

export interface CrashJob {
  readonly homes: Homes
  readonly scope: RunScope
  /** Number of the first frame to write. */
  readonly from: number
  /** Asked after each acknowledgement: the writer is not killed before it says so. */
  readonly ripe?: () => boolean
}

/** Kills the writer that many milliseconds after its first acknowledgement, or once it is ripe; answers with the last number it printed. */
export async function crashWriter(job: CrashJob, milliseconds = 0): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const gone = once(child, 'exit')
  let last = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (last === 0 && !job.ripe) setTimeout(() => child.kill('SIGKILL'), milliseconds)
    last = Number(line)
    if (job.ripe?.()) child.kill('SIGKILL')
  }
  await gone
  return last
}
