/** Fifty sign-ins at once: what they take in memory, how long they wait, and what everybody else notices of it. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Figure, interleave, median } from './measure.ts'
import { residentMegabytes } from './watch.ts'

const crowd = 50
/** Guesses at a known and at an unknown name: below the number from which on a name has to wait. */
const guesses = 4

interface Timed {
  readonly status: number
  readonly ms: number
}

export async function benchLogin(): Promise<Figure[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-bench-'))
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./login-server.ts'))], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      HARNESS_WEB_DATA: path.join(base, 'data'),
      HARNESS_WEB_KEYS: path.join(base, 'keys'),
      HARNESS_WEB_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(child.stdout, 'data')
    const { url, code } = JSON.parse(String(line)) as { url: string; code: string }
    return await measure({ url, code, pid: child.pid ?? 0 })
  } finally {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    rmSync(base, { recursive: true, force: true })
  }
}

async function measure({ url, code, pid }: { url: string; code: string; pid: number }): Promise<Figure[]> {
  const post = (operation: string, input: object) => time(() => send(`${url}/api/account/${operation}`, input))
  const health = () => time(() => fetch(`${url}/api/health`))
  const password = randomBytes(12).toString('hex')
  await post('setup', { code, username: 'ada', password })

  const alone: number[] = []
  for (let round = 0; round < 5; round += 1) alone.push((await post('login', { username: 'ada', password })).ms)
  const still: number[] = []
  for (let round = 0; round < 50; round += 1) still.push((await health()).ms)
  const names = await interleave(
    guesses,
    async () => (await post('login', { username: `nobody-${randomBytes(4).toString('hex')}`, password: 'wrong' })).ms,
    async () => (await post('login', { username: 'ada', password: 'wrong' })).ms,
  )

  const before = residentMegabytes(pid)
  let going = true
  const meanwhile: number[] = []
  const others = (async () => {
    while (going) meanwhile.push((await health()).ms)
  })()
  const all = await Promise.all(Array.from({ length: crowd }, (_, at) => post('login', { username: `person${at}`, password })))
  going = false
  await others
  const hashed = all.filter(({ status }) => status === 401).map(({ ms }) => ms)
  const turned = all.filter(({ status }) => status === 503).map(({ ms }) => ms)

  return [
    {
      name: `${crowd} sign-ins at once: peak memory over that before`,
      value: peakMegabytes(pid) - before,
      unit: 'MB',
      beside: { name: 'two hashes', value: 256 },
      goal: '≤ 1.25 ×',
    },
    {
      name: `of them, those hashed (${hashed.length}): median`,
      value: median(hashed),
      unit: 'ms',
      beside: { name: 'one alone', value: median(alone) },
    },
    { name: 'of them, the last one', value: Math.max(...hashed), unit: 'ms' },
    { name: `of them, those turned away (${turned.length}): the slowest`, value: Math.max(...turned), unit: 'ms' },
    {
      name: 'GET /api/health meanwhile: median',
      value: median(meanwhile),
      unit: 'ms',
      beside: { name: 'when nobody signs in', value: median(still) },
    },
    { name: 'GET /api/health meanwhile: p99', value: percentile(meanwhile, 0.99), unit: 'ms', goal: '≤ 1,000 ms' },
    {
      name: 'a wrong password for an unknown name',
      value: names.ours,
      unit: 'ms',
      beside: { name: 'for a known one', value: names.yardstick },
    },
  ]
}

function send(url: string, input: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) })
}

async function time(call: () => Promise<Response>): Promise<Timed> {
  const started = performance.now()
  const response = await call()
  await response.arrayBuffer()
  return { status: response.status, ms: performance.now() - started }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** The most that the process ever held. */
function peakMegabytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}
