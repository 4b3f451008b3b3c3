/** Every act the guardian must deny, attempted; beside it the nearest act it must allow; and all of it once without the guardian. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessOutcome } from '@bridlewise/engine'
import { buildGuardian, guardianBinary } from '@bridlewise/guardian'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Confinement, createConfinement, type GuardianProbe } from '../../server/confinement/index.ts'

/** A machine in small: a home with secrets and two projects, the data home and the key home beside it. */
interface World {
  readonly base: string
  readonly home: string
  readonly project: string
  readonly other: string
  readonly tcpPort: string
  readonly udpPort: string
  /** A process outside that could be signalled or traced. */
  readonly outsider: string
  readonly abstractName: string
  readonly shmKey: string
}

let world: World
let confinement: Confinement
let host: GuardianProbe
const endings: (() => unknown)[] = []

beforeAll(async () => {
  expect(await buildGuardian()).not.toMatchObject({ kind: 'failed' })
  const base = await realpath(await mkdtemp(join(tmpdir(), 'box-')))
  endings.push(() => rm(base, { recursive: true, force: true }))
  const home = join(base, 'home')
  const project = join(home, 'src', 'app')
  const other = join(home, 'src', 'other')
  for (const path of ['home/.ssh', 'home/src/app/sub', 'home/src/other', 'data', 'keys']) {
    await mkdir(join(base, path), { recursive: true })
  }
  for (const path of ['home/.ssh/id', 'home/src/app/file', 'home/src/other/file', 'data/db', 'keys/key', 'loose']) {
    await writeFile(join(base, path), 'content')
  }
  await symlink(join(home, '.ssh', 'id'), join(project, 'way-out'))
  await symlink(join(project, 'file'), join(project, 'way-in'))
  execFileSync('cc', ['-O1', '-o', join(project, 'probe'), fileURLToPath(new URL('./probes/probe.c', import.meta.url))])

  const tcp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  const abstractName = `@box-${process.pid}`
  const abstract = createServer((socket) => socket.destroy()).listen(`\0${abstractName.slice(1)}`)
  const agent = createServer((socket) => socket.destroy()).listen(join(home, 'agent.sock'))
  await Promise.all([tcp, udp, abstract, agent].map((server) => once(server, 'listening')))
  endings.push(() => [tcp, udp, abstract, agent].map((server) => server.close()))
  const outsider = spawn('sleep', ['600'])
  endings.push(() => outsider.kill('SIGKILL'))
  const shmKey = String(700_000 + process.pid)

  world = {
    ...{ base, home, project, other, abstractName, shmKey, outsider: String(outsider.pid) },
    tcpPort: String((tcp.address() as { port: number }).port),
    udpPort: String(udp.address().port),
  }
  expect(attemptOutside(['own-shared-memory', shmKey])).toBe(true)
  endings.push(() => spawnSync('ipcrm', ['-M', shmKey]))
  confinement = createConfinement({
    ...{ homes: [join(base, 'data'), join(base, 'keys')], userHome: home, scratch: join(base, 'scratch') },
    ...{ toolchains: [], binary: guardianBinary },
  })
  host = await confinement.probe()
})

afterAll(async () => {
  await confinement.close()
  for (const end of endings.reverse()) await end()
})

function run(argv: readonly string[], access: 'write' | 'read' = 'write'): Promise<ProcessOutcome> {
  const spec = { argv, cwd: world.project, root: world.project, access, deadlineMs: 60_000, outputLimit: 65_536 }
  return confinement.processPort().run(spec, new AbortController().signal)
}

async function attemptInside(act: readonly string[], access: 'write' | 'read' = 'write'): Promise<boolean> {
  const outcome = await run(['./probe', ...act], access)
  if (outcome.kind !== 'exited' || outcome.exitCode === null || outcome.exitCode > 1) throw new Error(JSON.stringify(outcome))
  return outcome.exitCode === 0
}

function attemptOutside(act: readonly string[]): boolean {
  return spawnSync(join(world.project, 'probe'), act, { cwd: world.project }).status === 0
}

type Act = (world: World) => readonly string[]

interface Case {
  readonly title: string
  readonly denied: Act
  readonly allowed: Act
  /** What the host must offer for the denial; where it is missing, `notCovered` must say so. */
  readonly gap?: string
}

const inProject =
  (...act: string[]): Act =>
  () =>
    act

/** Acts that change nothing, so that the same world serves all of them and the control without the guardian. */
const cases: readonly Case[] = [
  { title: 'read a dot-file of the home', denied: (w) => ['read', join(w.home, '.ssh/id')], allowed: inProject('read', 'file') },
  { title: 'read the key home', denied: (w) => ['read', join(w.base, 'keys/key')], allowed: inProject('read', 'file') },
  { title: 'read the data home', denied: (w) => ['read', join(w.base, 'data/db')], allowed: inProject('read', 'file') },
  { title: 'read another project', denied: (w) => ['read', join(w.other, 'file')], allowed: inProject('read', 'sub/../file') },
  { title: 'read through the parent', denied: inProject('read', '../other/file'), allowed: inProject('read', './file') },
  {
    title: 'read a file beside the homes',
    denied: (w) => ['read', join(w.base, 'loose')],
    allowed: inProject('read', '/etc/passwd'),
  },
  { title: 'follow a link out', denied: inProject('read', 'way-out'), allowed: inProject('read', 'way-in') },
  { title: 'list the home', denied: (w) => ['list', w.home], allowed: inProject('list', '.') },
  { title: 'list the temporary files of others', denied: inProject('list', '/tmp'), allowed: inProject('list', '/usr') },
  {
    title: 'read the environment of a process outside',
    denied: (w) => ['read', `/proc/${w.outsider}/environ`],
    allowed: inProject('read', '/dev/urandom'),
  },
  { title: 'connect over TCP', denied: (w) => ['tcp', w.tcpPort], allowed: inProject('own-tcp') },
  { title: 'send over UDP', denied: (w) => ['udp', w.udpPort], allowed: inProject('own-udp'), gap: 'udp and raw sockets' },
  {
    title: 'connect to an abstract Unix socket',
    denied: (w) => ['unix', w.abstractName],
    allowed: inProject('own-unix', '@of-its-own'),
    gap: 'abstract unix sockets',
  },
  {
    title: 'connect to a Unix socket in the home',
    denied: (w) => ['unix', join(w.home, 'agent.sock')],
    allowed: inProject('own-unix', 'own.sock'),
    gap: 'unix sockets by path',
  },
  {
    title: 'signal a process outside',
    denied: (w) => ['signal', w.outsider],
    allowed: inProject('own-signal'),
    gap: 'signals to other processes',
  },
  { title: 'trace a process outside', denied: (w) => ['trace', w.outsider], allowed: inProject('own-signal') },
  {
    title: 'reach shared memory of others',
    denied: (w) => ['shared-memory', w.shmKey],
    allowed: (w) => ['own-shared-memory', w.shmKey],
    gap: 'system v and posix message objects',
  },
  { title: 'make a namespace', denied: inProject('namespace'), allowed: inProject('own-signal'), gap: 'system calls' },
  { title: 'mount over a directory', denied: inProject('mount', 'sub'), allowed: inProject('list', 'sub') },
]

/** Where a namespace is missing the thing is taken away whole, so one's own is gone as well. */
function allowedHere(act: readonly string[]): boolean {
  const layers = host.state === 'ready' ? host.layers : []
  const lost = [
    ...(layers.includes('net') ? [] : ['own-tcp', 'own-udp']),
    ...(layers.includes('sockets') ? ['own-unix'] : []),
    ...(layers.includes('seccomp') && !layers.includes('ipc') ? ['own-shared-memory'] : []),
  ]
  return !lost.includes(act[0] ?? '')
}

describe('the box', () => {
  it('is up on this host', () => {
    expect(host).toMatchObject({ state: 'ready' })
  })

  describe.for(cases)('$title', ({ denied, allowed, gap }) => {
    it('is denied inside, or named as not covered', async () => {
      const done = await attemptInside(denied(world))
      const named = gap !== undefined && host.state === 'ready' && host.notCovered.includes(gap)
      expect(done && !named).toBe(false)
    })

    it('has a nearest act that is allowed inside', async () => {
      const act = allowed(world)
      await rm(join(world.project, 'own.sock'), { force: true })
      expect(await attemptInside(act)).toBe(allowedHere(act))
    })
  })

  it('would have let all of it through, had there been no guardian', () => {
    // An ordinary user of some hosts may not make namespaces or trace; the rest proves the probes.
    const optional = ['namespace', 'mount', 'trace']
    const stopped = cases.map(({ denied }) => denied(world)).filter((act) => !attemptOutside(act))
    expect(stopped.filter((act) => !optional.includes(act[0] ?? ''))).toEqual([])
  })

  it('keeps the temporary files of two commands apart', async () => {
    const end = new AbortController()
    const spec = { cwd: world.project, root: world.project, access: 'write', deadlineMs: 60_000, outputLimit: 1_000 } as const
    const argv = ['sh', '-c', 'echo mine > "$TMPDIR/x"; cat "$TMPDIR/x"; echo "$TMPDIR/x"; exec sleep 60']
    let first: Promise<ProcessOutcome> | null = null
    const path = await new Promise<string>((resolve) => {
      let heard = ''
      const onOutput = (_: string, text: string) => {
        heard += text
        if (heard.endsWith('/x\n')) resolve(heard.trim().replace('mine\n', ''))
      }
      first = confinement.processPort().run({ ...spec, argv, onOutput }, end.signal)
    })
    expect(await attemptInside(['read', path])).toBe(false)
    expect(attemptOutside(['read', path])).toBe(true)
    end.abort()
    expect(await first).toMatchObject({ kind: 'cancelled', output: expect.stringContaining('mine') })
    expect(attemptOutside(['read', path])).toBe(false)
  })

  it('hides the shadow file even from root', async () => {
    expect(await attemptInside(['read', '/etc/shadow'])).toBe(false)
    expect(await attemptInside(['read', '/etc/passwd'])).toBe(true)
    if (process.getuid?.() === 0) expect(attemptOutside(['read', '/etc/shadow'])).toBe(true)
  })
})

describe('changes', () => {
  const changes: readonly { title: string; denied: Act; allowed: Act; target: string }[] = [
    {
      title: 'write a file',
      denied: (w) => ['write', join(w.home, 'planted')],
      allowed: inProject('write', 'planted'),
      target: 'home/planted',
    },
    {
      title: 'truncate a file',
      denied: (w) => ['truncate', join(w.other, 'file')],
      allowed: inProject('truncate', 'victim'),
      target: 'home/src/other/file',
    },
    {
      title: 'link a secret in',
      denied: (w) => ['link', join(w.home, '.ssh/id'), 'linked'],
      allowed: inProject('link', 'victim', 'sub/linked'),
      target: 'home/src/app/linked',
    },
    {
      title: 'rename a file in',
      denied: (w) => ['rename', join(w.other, 'file'), 'taken'],
      allowed: inProject('rename', 'victim', 'sub/moved'),
      target: 'home/src/other/file',
    },
    {
      title: 'rename a file out',
      denied: (w) => ['rename', 'victim', join(w.home, 'victim')],
      allowed: inProject('rename', 'victim', 'sub/moved'),
      target: 'home/victim',
    },
  ]

  const read = (path: string) => readFile(join(world.base, path), 'utf8').catch(() => null)

  it.for(changes)('cannot $title outside, and can inside', async ({ denied, allowed, target }) => {
    await writeFile(join(world.project, 'victim'), 'content')
    const before = await read(target)
    expect(await attemptInside(denied(world))).toBe(false)
    expect(await read(target)).toBe(before)
    expect(await attemptInside(allowed(world))).toBe(true)
    for (const made of ['planted', 'sub/linked', 'sub/moved']) await rm(join(world.project, made), { force: true })
  })

  it('cannot open the key home to others, where the host can hide it', async () => {
    const keys = join(world.base, 'keys')
    await chmod(keys, 0o500)
    const covered = host.state === 'ready' && host.layers.includes('mount')
    expect(await attemptInside(['chmod', keys])).toBe(!covered)
    expect((await stat(keys)).mode & 0o777).toBe(covered ? 0o500 : 0o700)
    expect(await attemptInside(['chmod', 'sub'])).toBe(true)
    expect(attemptOutside(['chmod', keys])).toBe(true)
  })

  it('are impossible in plan mode, but for the private temporary directory', async () => {
    expect(await attemptInside(['write', 'planned'], 'read')).toBe(false)
    expect(await attemptInside(['truncate', 'file'], 'read')).toBe(false)
    expect(await attemptInside(['read', 'file'], 'read')).toBe(true)
    await expect(access(join(world.project, 'planned'))).rejects.toThrow()
    expect(await run(['sh', '-c', 'echo x > "$TMPDIR/x" && cat "$TMPDIR/x"'], 'read')).toMatchObject({
      exitCode: 0,
      output: 'x\n',
    })
  })
})

describe('some paths of a project', () => {
  it('are all that can be changed: nothing beside them, and through no link', async () => {
    await writeFile(join(world.project, 'single'), 'content')
    const inside = async (command: string) => (await runIn(['sub', 'single', 'absent'], command)).exitCode === 0
    expect(await inside('echo x > sub/new && mkdir sub/deep && echo x > sub/deep/x && rm sub/new && echo x > single')).toBe(true)
    expect(await inside('cat file && ./probe read file')).toBe(true)
    const denied = [
      ...['echo x > beside', 'echo x > file', 'rm file', 'mkdir absent', 'echo x > subs'],
      ...[
        'ln file sub/hard && echo x > sub/hard',
        'mv file sub/moved',
        'ln -s ../file sub/soft && echo x > sub/soft',
        'mv sub gone',
      ],
    ]
    for (const command of denied) expect([command, await inside(command)]).toEqual([command, false])
    expect(await readFile(join(world.project, 'file'), 'utf8')).toBe('content')
  })

  it('are not opened where one of them is a link, or lies outside', async () => {
    await symlink(world.other, join(world.project, 'elsewhere'))
    for (const path of ['elsewhere', 'way-in', '../other']) {
      const outcome = await runIn([path], 'true')
      expect([path, outcome.kind === 'not_started' && outcome.refusal.code]).toEqual([path, 'command_invalid'])
    }
  })

  async function runIn(paths: readonly string[], command: string): Promise<ProcessOutcome & { exitCode?: number | null }> {
    const { project } = world
    const writable = paths.map((path) => join(project, path))
    const spec = { argv: ['sh', '-c', command], cwd: project, root: project, access: 'write', writable } as const
    return confinement.processPort().run({ ...spec, deadlineMs: 20_000, outputLimit: 10_000 }, new AbortController().signal)
  }
})

describe('work', () => {
  const present = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  const inSystem = (program: string) => present(`/usr/bin/${program}`)

  beforeAll(async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: world.project })
    await writeFile(join(world.project, 'sum.test.mjs'), "import test from 'node:test'\ntest('adds', () => {})\n")
    await writeFile(join(world.project, 'main.c'), '#include <stdio.h>\nint main(void) { puts("compiled"); }\n')
    await writeFile(join(world.project, 'package.json'), '{"scripts":{"hello":"echo from a script"}}')
    git('init', '-q', '-b', 'main')
    git('add', 'sum.test.mjs')
    git('commit', '-q', '-m', 'first')
    await writeFile(join(world.project, 'sum.test.mjs'), "import test from 'node:test'\ntest('adds up', () => {})\n")
  })

  const work: readonly { title: string; argv: readonly string[]; says: string; needs?: () => boolean }[] = [
    { title: 'a shell pipeline', argv: ['sh', '-c', 'printf "b\\na\\n" | sort | head -n 1'], says: 'a' },
    { title: 'node', argv: ['node', '-p', '6 * 7'], says: '42' },
    { title: 'the test runner of node', argv: ['node', '--test'], says: 'pass 1' },
    { title: 'git status', argv: ['git', 'status', '--short'], says: ' M sum.test.mjs' },
    { title: 'git diff', argv: ['git', 'diff'], says: '+test(' },
    { title: 'a package script', argv: ['npm', 'run', 'hello'], says: 'from a script', needs: () => present('npm') },
    {
      title: 'a compiler and what it made',
      argv: ['sh', '-c', 'gcc -o made main.c && ./made'],
      says: 'compiled',
      needs: () => inSystem('gcc'),
    },
    { title: 'python', argv: ['python3', '-c', 'print(6 * 7)'], says: '42', needs: () => inSystem('python3') },
  ].filter(({ needs }) => needs?.() ?? true)

  it.for(work)('goes on inside: $title', async ({ argv, says }) => {
    const outcome = await run(argv)
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, output: expect.stringContaining(says) })
  })
})
