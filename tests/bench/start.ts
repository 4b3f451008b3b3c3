/** Cold start to the first answer, and what the idle server weighs, beside a bare Fastify. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, interleave, median } from './measure.ts'
import { busyMilliseconds, residentMegabytes } from './watch.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bare = `import Fastify from 'fastify'
const app = Fastify()
app.get('/api/health', () => ({ status: 'ok' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.HARNESS_WEB_PORT) })`

export async function benchStart(): Promise<Figure[]> {
  const homes = mkdtempSync(path.join(tmpdir(), 'bridlewise-bench-'))
  const idle: Idle[] = []
  const bareIdle: Idle[] = []
  try {
    const env = { HARNESS_WEB_DATA: path.join(homes, 'data'), HARNESS_WEB_KEYS: path.join(homes, 'keys') }
    await timeStart(['server/main.js'], env, []) // makes the homes; the figures are of an existing database
    const times = await interleave(
      7,
      () => timeStart(['server/main.js'], env, idle),
      () => timeStart(['--input-type=module', '-e', bare], {}, bareIdle),
    )
    return [
      {
        name: 'start to the first GET /api/health 200',
        value: times.ours,
        unit: 'ms',
        beside: { name: 'bare Fastify', value: times.yardstick },
        goal: '≤ 1.8 ×',
      },
      {
        name: 'resident memory, idle',
        value: median(idle.map(({ megabytes }) => megabytes)),
        unit: 'MB',
        beside: { name: 'bare Fastify', value: median(bareIdle.map(({ megabytes }) => megabytes)) },
        goal: '≤ 105 MB',
      },
      {
        name: 'time on a processor, idle',
        value: median(idle.map(({ busyPercent }) => busyPercent)),
        unit: '%',
        goal: '≤ 0.2 %',
      },
    ]
  } finally {
    rmSync(homes, { recursive: true, force: true })
  }
}

interface Idle {
  readonly megabytes: number
  readonly busyPercent: number
}

/** Milliseconds from spawn to the first 200; what the server costs in the third second after it goes into `idle`. */
async function timeStart(args: readonly string[], env: Readonly<Record<string, string>>, idle: Idle[]): Promise<number> {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: path.join(root, args[0]?.startsWith('--') ? 'server' : '.'),
    env: { PATH: process.env['PATH'] ?? '', HOME: homedirOf(), HARNESS_WEB_PORT: String(port), ...env },
    stdio: 'ignore',
  })
  try {
    await firstAnswer(`http://127.0.0.1:${port}/api/health`, child)
    const took = performance.now() - started
    const pid = child.pid ?? 0
    await sleep(2000)
    const busyBefore = busyMilliseconds(pid)
    await sleep(1000)
    idle.push({ megabytes: residentMegabytes(pid), busyPercent: (busyMilliseconds(pid) - busyBefore) / 10 })
    return took
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }
}

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return
    await sleep(2)
  }
}

function homedirOf(): string {
  return process.env['HOME'] ?? ''
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
