/**
 * The gate: everything that must hold before a change counts, in one command.
 *
 * `node tests/gate.ts` runs all of it, `node tests/gate.ts check` the static part. The last line is
 * `N passed, N failed`: each static step counts once, each test by itself.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'

interface Step {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** A test runner's steps count its tests; the others count as one. */
  readonly report?: string
}

interface Tally {
  readonly passed: number
  readonly failed: number
}

const root = path.resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(path.join(tmpdir(), 'bridlewise-gate-'))

const build: Step[] = [
  { name: 'guardian builds', command: ['node', 'guardian/build.ts'] },
  { name: 'cockpit builds', command: ['node', 'cockpit/build.ts'] },
]

const check: Step[] = [
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '.'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of shared, without Node', command: ['tsc', '-p', 'shared'] },
  {
    name: 'types of the cockpit',
    command: ['cockpit/node_modules/.bin/svelte-check', '--tsconfig', 'cockpit/tsconfig.json', '--fail-on-warnings'],
  },
  {
    name: 'direction rules',
    command: [
      'tests/node_modules/.bin/depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'shared',
      'engine',
      'server',
      'cockpit',
      'guardian',
      'tests',
    ],
  },
  { name: 'unused code', command: ['knip', '--no-progress'] },
  { name: 'generated pages are current', command: ['node', 'tests/support/generate.ts', '--check'] },
  { name: 'harness scenarios', command: ['node', 'engine/src/cli.ts', 'harness'] },
]

const tests: Step[] = [vitest('unit', 'contract', 'architecture'), vitest('hostile', 'regress'), vitest('journeys')]

function vitest(...projects: string[]): Step {
  const report = path.join(scratch, `${projects[0]}.json`)
  const selected = projects.flatMap((project) => ['--project', project])
  return {
    name: `tests: ${projects.join(', ')}`,
    command: ['vitest', 'run', ...selected, '--reporter=default', '--reporter=json', `--outputFile=${report}`],
    report,
  }
}

async function main(): Promise<void> {
  const only = process.argv[2]
  const total = { passed: 0, failed: 0 }
  const rounds = only === 'check' ? [build, check] : [build, check, ...tests.map((step) => [step])]
  for (const steps of rounds) {
    for (const tally of await runSteps(steps)) {
      total.passed += tally.passed
      total.failed += tally.failed
    }
  }
  rmSync(scratch, { recursive: true, force: true })
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

/** Run steps of one round, as many at once as there are cores. */
async function runSteps(steps: readonly Step[]): Promise<Tally[]> {
  const queue = [...steps]
  const tallies: Tally[] = []
  const work = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) tallies.push(await runStep(step))
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), steps.length) }, work))
  return tallies
}

async function runStep(step: Step): Promise<Tally> {
  const started = performance.now()
  const { code, output } = await capture(step.command)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const tally = step.report ? readReport(step.report, code) : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  console.log(
    `${tally.failed === 0 ? 'ok  ' : 'FAIL'} ${step.name} (${step.report ? `${tally.passed} tests, ` : ''}${seconds} s)`,
  )
  if (tally.failed > 0) console.log(output)
  return tally
}

function capture([program, ...args]: readonly [string, ...string[]]): Promise<{ code: number; output: string }> {
  const bin = path.join(root, 'node_modules/.bin')
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on('error', (cause) => resolve({ code: 127, output: String(cause) }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** A runner that died before its report, or found no test, has failed once. */
function readReport(file: string, code: number): Tally {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
    }
    const failed = report.numFailedTests + report.numPendingTests
    return { passed: report.numPassedTests, failed: failed === 0 && (code !== 0 || report.numPassedTests === 0) ? 1 : failed }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

await main()
