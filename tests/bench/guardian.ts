/** What confinement adds to starting a command: two hundred times `true`, beside a plain spawn. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { guardianBinary } from '@bridlewise/guardian'
import { createConfinement } from '../../server/confinement/index.ts'
import { type Figure, interleave } from './measure.ts'

const rounds = 200

export async function benchGuardian(): Promise<Figure[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-bench-'))
  try {
    const root = mkdtempSync(path.join(base, 'project-'))
    const confinement = createConfinement({
      homes: [path.join(base, 'data'), path.join(base, 'keys')],
      userHome: homedir(),
      scratch: path.join(base, 'scratch'),
      toolchains: [],
      binary: guardianBinary,
    })
    const port = confinement.processPort()
    const never = new AbortController().signal
    const confined = async () => {
      const started = performance.now()
      const outcome = await port.run(
        { argv: ['/usr/bin/true'], cwd: root, root, access: 'write', deadlineMs: 10_000, outputLimit: 1024 },
        never,
      )
      if (outcome.kind !== 'exited') throw new Error(JSON.stringify(outcome))
      return performance.now() - started
    }
    await confined()
    const times = await interleave(rounds, confined, plain)
    return [
      {
        name: 'a confined start of true',
        value: times.ours,
        unit: 'ms',
        beside: { name: 'plain spawn', value: times.yardstick },
      },
      {
        name: 'added by confinement',
        value: times.ours - times.yardstick,
        unit: 'ms',
        goal: '≤ 2.25 ms (half of what bubblewrap adds)',
      },
    ]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

function plain(): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/true', { stdio: ['ignore', 'pipe', 'pipe'] })
    child.once('error', reject)
    child.once('close', () => resolve(performance.now() - started))
  })
}
