import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessOutcome, ProcessSpec } from '@bridlewise/engine'
import { buildGuardian, guardianBinary } from '@bridlewise/guardian'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Confinement, type ConfinementOptions, createConfinement } from './index.ts'

let base: string
let project: string
let confinement: Confinement

const options = (binary: string): ConfinementOptions => ({
  ...{ homes: [join(base, 'data')], userHome: join(base, 'home'), scratch: join(base, 'scratch'), toolchains: [], binary },
})

beforeAll(async () => {
  expect(await buildGuardian()).not.toMatchObject({ kind: 'failed' })
  base = await realpath(await mkdtemp(join(tmpdir(), 'confinement-')))
  project = join(base, 'home', 'app')
  await mkdir(project, { recursive: true })
  await mkdir(join(base, 'data'))
  confinement = createConfinement(options(guardianBinary))
})

afterAll(async () => {
  await confinement.close()
  await rm(base, { recursive: true, force: true })
})

function run(argv: readonly string[], more: Partial<ProcessSpec> & { signal?: AbortSignal } = {}): Promise<ProcessOutcome> {
  const { signal = new AbortController().signal, ...spec } = more
  const whole = { argv, cwd: project, root: project, access: 'write' as const, deadlineMs: 60_000, outputLimit: 65_536, ...spec }
  return confinement.processPort().run(whole, signal)
}

const shell = (script: string, more: Parameters<typeof run>[1] = {}) => run(['sh', '-c', script], more)

/** Processes of this machine whose command line has `tag` in it. */
async function findTagged(tag: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(tag))
}

/** A number no other process sleeps for. */
let lastTag = 0
function makeTag(): string {
  lastTag += 1
  return `${300 + lastTag}.${process.pid}`
}

describe('a command that ends by itself', () => {
  it.each([
    { script: 'exit 0', exitCode: 0, signal: null },
    { script: 'exit 7', exitCode: 7, signal: null },
    { script: 'exit 125', exitCode: 125, signal: null },
    { script: 'kill -TERM $$', exitCode: null, signal: 'SIGTERM' },
    { script: 'kill -KILL $$', exitCode: null, signal: 'SIGKILL' },
  ])('passes on how: $script', async ({ script, exitCode, signal }) => {
    expect(await shell(script)).toMatchObject({ kind: 'exited', exitCode, signal })
  })

  it('starts where it was told to, with input that is at its end', async () => {
    await mkdir(join(project, 'deep'), { recursive: true })
    expect(await shell('pwd; cat; ls', { cwd: join(project, 'deep') })).toMatchObject({ output: `${join(project, 'deep')}\n` })
  })

  it('has an environment of eight names and none of the server', async () => {
    process.env['BOX_CANARY'] = 'sings'
    const outcome = await run(['env'])
    delete process.env['BOX_CANARY']
    const names = outcome.kind === 'exited' ? outcome.stdout.trim().split('\n') : []
    expect(names.map((line) => line.split('=')[0]).sort()).toEqual(
      ['CI', 'GIT_CONFIG_NOSYSTEM', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR'].sort(),
    )
  })

  it('inherits no descriptor but the three', async () => {
    const outcome = await run(['sh', '-c', 'for fd in 3 4 5 6 7 8 9; do (: <&$fd) 2>/dev/null && echo "open $fd"; done; :'])
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, output: '' })
  })

  it('has a HOME and a TMPDIR of its own that are gone afterwards', async () => {
    const first = await shell('echo x > "$HOME/x" && mkdir -p "$TMPDIR/locked/in" && chmod 0 "$TMPDIR/locked" && echo "$HOME"')
    const second = await shell('ls -A "$HOME" "$TMPDIR" && echo "$HOME"')
    const homes = [first, second].map((outcome) => (outcome.kind === 'exited' ? outcome.output.trim().split('\n').at(-1) : null))
    expect(new Set(homes).size).toBe(2)
    expect(second).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('locked') })
    for (const home of homes) await expect(readdir(home ?? '')).rejects.toThrow()
  })

  it('tells a listener as it goes', async () => {
    const heard: string[] = []
    await shell('echo out; echo err >&2', { onOutput: (stream, text) => heard.push(`${stream}: ${text}`) })
    expect(heard.sort()).toEqual(['stderr: err\n', 'stdout: out\n'])
  })

  it('keeps the beginning and the end of too much, and says what is missing', async () => {
    const outcome = await shell('echo first; seq 100000; echo last', { outputLimit: 1_000 })
    expect(outcome).toMatchObject({ kind: 'exited', cut: expect.stringMatching(/^\d+ of \d+ bytes/) })
    expect(outcome.kind === 'exited' && outcome.output).toMatch(/^first\n[\s\S]*bytes left out here[\s\S]*last\n$/)
  })

  it('leaves nothing behind that it started', async () => {
    const tag = makeTag()
    expect(await shell(`(setsid sleep ${tag} &) ; sleep ${tag} & exit 3`)).toMatchObject({ exitCode: 3 })
    expect(await findTagged(tag)).toEqual([])
  })

  it('has a receipt of what held, the same policy digest for the same policy, another for plan mode', async () => {
    const [one, two, plan] = [await shell(':'), await shell(':'), await shell(':', { access: 'read' })]
    const receipts = [one, two, plan].map((outcome) => (outcome.kind === 'exited' ? outcome.receipt : null))
    const host = await confinement.probe()
    expect(receipts[0]).toMatchObject({ access: 'write', layers: host.state === 'ready' ? host.layers : [] })
    expect(receipts[0]?.layers).toEqual(expect.arrayContaining(['landlock', 'no_new_privs', 'supervisor']))
    expect(receipts[1]).toEqual(receipts[0])
    expect(receipts[2]).toMatchObject({ access: 'read' })
    expect(receipts[2]?.policy).not.toBe(receipts[0]?.policy)
  })
})

describe('a command that is stopped', () => {
  const trees = [
    { title: 'a session of its own and a background job', script: (tag: string) => `setsid sleep ${tag} & sleep ${tag}` },
    { title: 'a double fork', script: (tag: string) => `( (sleep ${tag} & ) & ) ; sleep ${tag}` },
    {
      title: 'one that ignores being asked',
      script: (tag: string) => `trap "" TERM HUP INT; setsid sleep ${tag} & sleep ${tag}; sleep ${tag}`,
    },
    { title: 'one that stopped itself', script: (tag: string) => `sleep ${tag} & kill -STOP $!; kill -STOP $$; sleep ${tag}` },
  ]

  it.each(trees)('is gone with its tree when cancelled: $title', async ({ script }) => {
    const tag = makeTag()
    const cancel = new AbortController()
    const outcome = shell(`echo started; ${script(tag)}`, { signal: cancel.signal, onOutput: () => cancel.abort() })
    expect(await outcome).toMatchObject({ kind: 'cancelled', output: expect.stringContaining('started') })
    expect(await findTagged(tag)).toEqual([])
  })

  it('is gone with its tree at the deadline, and what it said is kept', async () => {
    const tag = makeTag()
    const outcome = await shell(`echo started; setsid sleep ${tag} & sleep ${tag}`, { deadlineMs: 500 })
    expect(outcome).toMatchObject({ kind: 'timed_out', output: 'started\n' })
    expect(await findTagged(tag)).toEqual([])
  })

  it('may use the time it is given to end well', async () => {
    const cancel = new AbortController()
    const script = 'trap "echo tidied; exit 0" TERM; echo ready; while :; do :; done'
    const outcome = await shell(script, { signal: cancel.signal, onOutput: () => cancel.abort() })
    expect(outcome).toMatchObject({ kind: 'cancelled', output: 'ready\ntidied\n' })
  })

  it('is not even started when the signal came first', async () => {
    const outcome = await shell('echo x > late', { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ kind: 'cancelled', bytes: 0 })
    await expect(readFile(join(project, 'late'))).rejects.toThrow()
  })

  it('dies with its server', async () => {
    const tag = makeTag()
    const script = join(base, 'server.mjs')
    await writeFile(
      script,
      `import { createConfinement } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
       const { options, spec } = JSON.parse(process.argv[2])
       const port = createConfinement(options).processPort()
       port.run({ ...spec, onOutput: (_, text) => process.stdout.write(text) }, new AbortController().signal)`,
    )
    const argv = ['sh', '-c', `echo started; trap "" TERM HUP; setsid sleep ${tag} & sleep ${tag}`]
    const spec = { argv, cwd: project, root: project, access: 'write', deadlineMs: 60_000, outputLimit: 1_000 }
    const server = spawn(process.execPath, [script, JSON.stringify({ options: options(guardianBinary), spec })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(server.stdout, 'data')
    expect((await findTagged(tag)).length).toBeGreaterThan(1)
    server.kill('SIGKILL')
    await once(server, 'exit')
    await expect.poll(() => findTagged(tag), { timeout: 5_000 }).toEqual([])
  })
})

describe('a command that does not start', () => {
  it.each([
    { title: 'no words', argv: [], code: 'command_invalid' },
    { title: 'an unknown program', argv: ['no-such-program'], code: 'command_not_found' },
    { title: 'a file that is no program', argv: ['/etc/passwd'], code: 'command_invalid' },
    { title: 'a zero byte', argv: ['echo', 'a\0b'], code: 'command_invalid' },
    { title: 'more than the system takes', argv: ['echo', 'x'.repeat(3_000_000)], code: 'command_invalid' },
  ])('is refused: $title', async ({ argv, code }) => {
    expect(await run(argv)).toMatchObject({ kind: 'not_started', refusal: { code } })
  })

  it.each([
    { title: 'a directory outside the project', place: () => ({ cwd: base }), code: 'command_invalid' },
    { title: 'a directory that is not there', place: () => ({ cwd: join(project, 'gone') }), code: 'command_invalid' },
    { title: 'the data home as project', place: () => ({ root: join(base, 'data') }), code: 'project_path_invalid' },
    { title: 'the home as project', place: () => ({ root: join(base, 'home') }), code: 'project_path_invalid' },
    { title: 'a project that is gone', place: () => ({ root: join(base, 'home', 'gone') }), code: 'project_missing' },
  ])('is refused: $title', async ({ place, code }) => {
    expect(await run(['true'], place())).toMatchObject({ kind: 'not_started', refusal: { code } })
  })

  const broken = [
    { title: 'missing', make: async () => join(base, 'absent'), code: 'guardian_missing' },
    { title: 'not executable', make: () => plant('plain', 0o600, '#!/bin/sh\n'), code: 'guardian_unusable' },
    { title: 'another program', make: async () => '/usr/bin/true', code: 'guardian_unusable' },
    {
      title: 'on a kernel without Landlock',
      make: () => plant('old', 0o700, '#!/bin/sh\necho \'{"event":"probe","abi":0,"layers":[],"missing":{}}\'\n'),
      code: 'kernel_unsupported',
    },
    {
      title: 'one that lets everything through',
      make: () =>
        plant(
          'open',
          0o700,
          `#!/bin/sh
if [ "$1" = --probe ]; then exec ${guardianBinary} --probe; fi
while [ "$1" != -- ]; do shift; done; shift
echo '{"event":"confined","abi":7,"layers":["landlock"],"notCovered":[]}' >&3
"$@"; echo "{\\"event\\":\\"ended\\",\\"exit\\":$?,\\"signal\\":null}" >&3\n`,
        ),
      code: 'guardian_unusable',
    },
  ]

  it.each(broken)('is refused with a remedy when the guardian is $title', async ({ make, code }) => {
    const other = createConfinement(options(await make()))
    const spec = { argv: ['true'], cwd: project, root: project, access: 'write', deadlineMs: 5_000, outputLimit: 100 } as const
    expect(await other.processPort().run(spec, new AbortController().signal)).toMatchObject({
      kind: 'not_started',
      refusal: { code },
    })
    expect(await other.probe()).toMatchObject({ state: 'refused', refusal: { code } })
    await other.close()
  })

  it('is refused when the guardian is no longer the one that was measured', async () => {
    const copy = join(base, 'copy')
    await copyFile(guardianBinary, copy)
    const other = createConfinement(options(copy))
    const spec = { argv: ['true'], cwd: project, root: project, access: 'write', deadlineMs: 5_000, outputLimit: 100 } as const
    const start = () => other.processPort().run(spec, new AbortController().signal)
    expect(await start()).toMatchObject({ kind: 'exited', exitCode: 0 })
    await rm(copy)
    await copyFile('/usr/bin/true', copy)
    expect(await start()).toMatchObject({ kind: 'not_started', refusal: { code: 'guardian_unusable' } })
    await other.close()
  })
})

describe('close', () => {
  it('ends what is alive, removes what was made, and starts nothing more', async () => {
    const tag = makeTag()
    const other = createConfinement({ ...options(guardianBinary), scratch: join(base, 'scratch-of-other') })
    const port = other.processPort()
    const spec = {
      argv: ['sleep', tag],
      cwd: project,
      root: project,
      access: 'write',
      deadlineMs: 60_000,
      outputLimit: 100,
    } as const
    const begun = port.run(spec, new AbortController().signal)
    await expect.poll(() => findTagged(tag)).not.toEqual([])
    await other.close()
    expect(await begun).toMatchObject({ kind: 'cancelled' })
    expect(await findTagged(tag)).toEqual([])
    expect(await readdir(join(base, 'scratch-of-other'))).toEqual([])
    expect(await port.run(spec, new AbortController().signal)).toMatchObject({ kind: 'not_started' })
  })
})

async function plant(name: string, mode: number, text: string): Promise<string> {
  const path = join(base, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}
