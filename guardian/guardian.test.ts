import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buildArguments,
  buildGuardian,
  createReportReader,
  guardianBinary,
  mandatoryLayers,
  type OptionalLayer,
  optionalLayers,
  type Policy,
  probeHost,
  type ReportReader,
} from './index.ts'

let base: string
let working: readonly OptionalLayer[]

beforeAll(async () => {
  expect(await buildGuardian()).not.toMatchObject({ kind: 'failed' })
  base = await realpath(await mkdtemp(join(tmpdir(), 'guardian-')))
  await mkdir(join(base, 'inside'))
  await mkdir(join(base, 'outside'))
  await writeFile(join(base, 'outside', 'secret'), 'secret\n')
  await symlink(join(base, 'outside'), join(base, 'linked'))
  const probe = await probeHost(guardianBinary)
  working = probe.ok ? probe.facts.layers : []
})

afterAll(() => rm(base, { recursive: true, force: true }))

/** The smallest policy under which a shell runs. */
async function policyOf(more: Partial<Policy> = {}): Promise<Policy> {
  const exec = await Promise.all(['/usr', '/bin', '/lib'].map((path) => realpath(path)))
  return {
    ...{ write: [join(base, 'inside'), '/dev/null'], exec: [...new Set(exec)], read: [], hide: [] },
    ...{ cwd: join(base, 'inside'), require: [], limits: {}, graceMs: 300, ...more },
  }
}

interface Started {
  readonly child: ChildProcess
  readonly report: ReportReader
  readonly ended: Promise<{ code: number | null; output: string }>
}

function start(args: readonly string[]): Started {
  const child = spawn(guardianBinary, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { PATH: '/usr/bin:/bin' } })
  const report = createReportReader()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  ;(child.stdio[3] as Readable).on('data', (chunk: Buffer) => report.push(chunk))
  return { child, report, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })) }
}

async function run(command: readonly string[], more: Partial<Policy> = {}) {
  const { report, ended } = start(buildArguments(await policyOf(more), 3, command))
  return { report, ...(await ended) }
}

async function findTagged(tag: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(tag))
}

describe('the report', () => {
  it('lists what holds and no more when every optional layer is waived', async () => {
    const { report, code } = await run(['true'])
    expect(code).toBe(0)
    expect(report.find('confined')?.layers).toEqual(mandatoryLayers)
    expect(report.find('confined')?.notCovered).toEqual(
      expect.arrayContaining(['tcp', 'udp and raw sockets', 'signals to other processes', 'system calls']),
    )
    expect(report.find('ended')).toEqual({ event: 'ended', exit: 0, signal: null })
  })

  it('lists each layer of this host that is required, and drops what it covers from the rest', async () => {
    const { report, code } = await run(['true'], { require: working })
    expect(code).toBe(0)
    expect(report.find('confined')?.layers).toEqual([...mandatoryLayers, ...working])
    expect(report.find('confined')?.notCovered).not.toContain('tcp')
  })

  it.each([
    { title: 'an exit code', script: 'exit 9', ended: { exit: 9, signal: null }, code: 9 },
    { title: 'a signal', script: 'kill -TERM $$', ended: { exit: null, signal: 15 }, code: 143 },
  ])('passes on $title, with and without a pid namespace', async ({ script, ended, code }) => {
    for (const require of [[], working]) {
      const result = await run(['sh', '-c', script], { require })
      expect(result.report.find('ended')).toMatchObject(ended)
      expect(result.code).toBe(code)
    }
  })

  it.each([
    { title: 'a program that is not there', program: 'no-such-program', errno: 2, code: 127 },
    { title: 'a file that is no program', program: '/dev/null', errno: 13, code: 126 },
  ])('says that everything held but $title was not executed', async ({ program, errno, code }) => {
    const result = await run([program])
    expect(result.report.find('not_executed')).toMatchObject({ errno })
    expect(result.code).toBe(code)
  })
})

describe('a refusal', () => {
  const waived = (...except: string[]) =>
    optionalLayers.filter((layer) => !except.includes(layer)).flatMap((layer) => ['--waive', layer])

  it.each([
    { title: 'no command', args: [...waived(), '--'], reason: /no command/ },
    { title: 'an unknown option', args: ['--lenient', 'yes', ...waived(), '--', 'true'], reason: /--lenient/ },
    { title: 'a layer neither required nor waived', args: [...waived('net'), '--', 'true'], reason: /net must be either/ },
    {
      title: 'a layer both required and waived',
      args: [...waived(), '--require', 'net', '--', 'true'],
      reason: /net must be either/,
    },
    { title: 'a mandatory layer waived', args: [...waived(), '--waive', 'landlock', '--', 'true'], reason: /landlock is not/ },
    { title: 'a relative path', args: [...waived(), '--write', 'here', '--', 'true'], reason: /here is not absolute/ },
    { title: 'a number that is none', args: [...waived(), '--grace', '5s', '--', 'true'], reason: /5s is not a number/ },
  ])('meets $title with 125 and a reason', ({ args, reason }) => {
    const { status, stderr } = spawnSync(guardianBinary, args, { encoding: 'utf8' })
    expect(status).toBe(125)
    expect(JSON.parse(stderr)).toMatchObject({ event: 'refused', step: 'arguments', reason: expect.stringMatching(reason) })
  })

  it.each([
    { title: 'is not there', path: () => join(base, 'gone') },
    { title: 'is a link', path: () => join(base, 'linked') },
    { title: 'has a link on the way', path: () => join(base, 'linked', 'secret') },
  ])('meets a rule whose path $title, and nothing is started', async ({ path }) => {
    const { code, report, output } = await run(['echo', 'started'], { read: [path()] })
    expect({ code, output }).toEqual({ code: 125, output: '' })
    expect(report.find('refused')).toMatchObject({ step: 'landlock' })
    expect(report.find('confined')).toBeNull()
  })
})

describe('the payload', () => {
  it('reads and writes inside and not outside', async () => {
    const script = 'echo kept > file && cat file; cat ../outside/secret; echo x > ../outside/made'
    const { output } = await run(['sh', '-c', script])
    expect(output).toContain('kept')
    expect(output).not.toContain('secret\n')
    expect(await readdir(join(base, 'outside'))).toEqual(['secret'])
  })

  it('has no descriptor that the caller left open', async () => {
    const args = buildArguments(await policyOf(), 2, ['sh', '-c', 'cat <&9'])
    const left = spawnSync('sh', ['-c', 'exec 9< "$0"; exec "$@"', join(base, 'outside/secret'), guardianBinary, ...args], {
      encoding: 'utf8',
    })
    expect(left.stdout).toBe('')
    const control = spawnSync('sh', ['-c', 'exec 9< "$0"; exec sh -c "cat <&9"', join(base, 'outside/secret')], {
      encoding: 'utf8',
    })
    expect(control.stdout).toBe('secret\n')
  })

  it('makes private files, dumps no core and keeps to its limits', async () => {
    const script = 'umask; ulimit -c; ulimit -n; ulimit -f'
    const { output } = await run(['sh', '-c', script], { limits: { nofile: 64, fsize: 512 * 1024 } })
    expect(output).toBe('0077\n0\n64\n1024\n')
  })

  it('reads nothing of its own command as an option', async () => {
    const { output, code } = await run(['echo', '--write', '/', '--', '--probe'])
    expect({ output, code }).toEqual({ output: '--write / -- --probe\n', code: 0 })
  })
})

describe('the tree of the payload', () => {
  const sets = [
    { title: 'under the supervisor alone', require: () => [] as readonly OptionalLayer[] },
    { title: 'under every layer of this host', require: () => working },
  ]
  const scripts = [
    { name: 'a session of its own', script: (tag: string) => `setsid sleep ${tag} & sleep ${tag}` },
    { name: 'a double fork', script: (tag: string) => `( (setsid sleep ${tag} & ) & ) ; sleep ${tag}` },
    {
      name: 'one that ignores being asked',
      script: (tag: string) => `trap "" TERM HUP; setsid sleep ${tag} & sleep ${tag}; sleep ${tag}`,
    },
  ]
  const cases = sets.flatMap((set) => scripts.map((script) => ({ ...set, ...script })))
  let last = 500
  const makeTag = () => `${++last}.${process.pid}`

  it.each(cases)('is gone when the payload ends, $title: $name', async ({ require, script }) => {
    const tag = makeTag()
    const { code } = await run(['sh', '-c', `(${script(tag)}) & exit 4`], { require: require() })
    expect(code).toBe(4)
    expect(await findTagged(tag)).toEqual([])
  })

  it.each(cases)('is gone when the guardian is told to stop, $title: $name', async ({ require, script }) => {
    const tag = makeTag()
    const { child, ended, report } = start(
      buildArguments(await policyOf({ require: require() }), 3, ['sh', '-c', `echo started; ${script(tag)}`]),
    )
    await once(child.stdout as Readable, 'data')
    child.kill('SIGTERM')
    await ended
    expect(report.find('stopped')).not.toBeNull()
    expect(await findTagged(tag)).toEqual([])
  })

  it.each(cases)('is gone when the reader of the report goes away, $title: $name', async ({ require, script }) => {
    const tag = makeTag()
    const { child, ended } = start(
      buildArguments(await policyOf({ require: require(), graceMs: 60_000 }), 3, ['sh', '-c', `echo started; ${script(tag)}`]),
    )
    await once(child.stdout as Readable, 'data')
    child.stdio[3]?.destroy()
    await ended
    expect(await findTagged(tag)).toEqual([])
  })
})
