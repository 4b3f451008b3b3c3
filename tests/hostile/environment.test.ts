/** ENV: what a shell or a project sets reaches neither the server nor its children, and no secret shows in a process or a crash. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSelfSigned } from '../support/certificates.ts'
import { answersWith, callsTool, redirects } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'

const root = path.resolve(import.meta.dirname, '../..')
const canary = (what: string) => `${what}canary${randomBytes(8).toString('hex')}`

/** What a developer's shell holds, and what must stay there. */
const shell: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: canary('anthropic'),
  OPENAI_API_KEY: canary('openai'),
  OPENAI_BASE_URL: `https://${canary('openai')}.test`,
  AWS_ACCESS_KEY_ID: canary('aws'),
  AWS_SECRET_ACCESS_KEY: canary('aws'),
  AWS_SESSION_TOKEN: canary('aws'),
  GITHUB_TOKEN: canary('github'),
  SSH_AUTH_SOCK: `/tmp/${canary('ssh')}`,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=/tmp/${canary('dbus')}`,
  NPM_TOKEN: canary('npm'),
  DATABASE_URL: `postgres://u:${canary('database')}@localhost/x`,
  HTTPS_PROXY: `http://${canary('proxy')}.test:1`,
  BASH_ENV: `/tmp/${canary('bash')}`,
}

/** Each changes how the runtime runs; a start names it and goes on. */
const meddling: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_PATH: `/tmp/${canary('path')}`,
  NODE_EXTRA_CA_CERTS: '/dev/null',
  SSL_CERT_FILE: '/dev/null',
  OPENSSL_CONF: '/dev/null',
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  said(): string
}

/** The server as somebody starts it who stands in a directory with a shell of theirs. */
async function startIn(cwd: string, home: string, env: Readonly<Record<string, string>>, before = ''): Promise<Started> {
  const child = spawn('/bin/sh', ['-c', `${before} exec "$0" "$1"`, process.execPath, path.join(root, 'server/main.js')], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      HARNESS_WEB_DATA: path.join(home, 'data'),
      HARNESS_WEB_KEYS: path.join(home, 'keys'),
      HARNESS_WEB_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      said += chunk.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (address) resolve(address)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}:\n${said}`)))
  })
  return { child, url, said: () => said }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-environment-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('a server that is started in a hostile project, from a full shell', () => {
  const project = path.join(base, 'project')
  const marker = path.join(project, 'loaded')
  const key = canary('key')
  const prompt = canary('prompt')
  let server: Started
  let endpoint: ScriptedEndpoint
  let client: ScriptClient
  let seen: ReturnType<typeof watchChildren>

  beforeAll(async () => {
    mkdirSync(project)
    const settings = [
      `HARNESS_WEB_LLM_FIXTURES=1`,
      `HARNESS_WEB_PORT=1`,
      `NODE_OPTIONS=--require ${project}/evil.cjs`,
      `LD_PRELOAD=${project}/evil.so`,
      `PATH=${project}`,
      `HOME=${project}`,
      `OPENAI_BASE_URL=https://evil.test`,
      `HTTPS_PROXY=http://evil.test`,
      `FROM_PROJECT=yes`,
    ]
    const files: Readonly<Record<string, string>> = {
      '.env': settings.join('\n'),
      '.env.local': settings.join('\n'),
      '.envrc': settings.map((line) => `export ${line.replace('=', "='")}'`).join('\n'),
      '.npmrc': `node-options=--require ${project}/evil.cjs\nscript-shell=${project}/evil.sh\n`,
      'mise.toml': `[env]\n${settings.map((line) => line.replace(/=(.*)/, ' = "$1"')).join('\n')}\n`,
      '.tool-versions': 'nodejs 8.0.0\n',
      '.node-version': '8.0.0\n',
      'evil.cjs': `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`,
      'package.json': '{"type":"commonjs"}',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, name), text)
    endpoint = await startScriptedEndpoint({
      steps: [
        callsTool('execute_command', { command: 'env; for i in 1 2 3; do sleep 0.1; done' }),
        callsTool('git_status', {}),
        answersWith('Done.'),
      ],
    })
    server = await startIn(project, path.join(base, 'homes'), { ...shell, ...meddling })
    client = await signUp(server.url, readFileSync(path.join(base, 'homes/data/setup-code'), 'utf8').trim())
    seen = watchChildren(server.child.pid ?? 0)
    const { provider } = need(
      await client.provider.create({ name: 'own', kind: 'custom', baseUrl: endpoint.baseUrl, apiKey: key, models: ['m'] }),
    )
    const { project: made } = need(await client.project.create({ name: 'p', path: project }))
    const model = { providerId: provider.id, modelId: 'm' }
    const { run } = need(await client.run.start({ prompt, projectId: made.id, model }))
    for await (const _ of client.run.stream({ runId: run.id })) {
      // To its end.
    }
    await seen.end()
  }, 60_000)

  afterAll(async () => {
    await stop(server.child, 'SIGTERM')
    await endpoint.close()
  })

  it('gives its commands eight names and none of the values (ENV-01)', () => {
    expect(endpoint.problems).toEqual([])
    const result = endpoint.received[1]?.body?.messages?.at(-1)
    const text = JSON.stringify(result)
    const names = [...text.matchAll(/(?:^|\\n|")([A-Z_][A-Z0-9_]*)=/g)].map((match) => match[1])
    const own = ['CI', 'GIT_CONFIG_NOSYSTEM', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR']
    // What the shell adds by itself.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')).sort()).toEqual(own)
    for (const value of Object.values({ ...shell, ...meddling })) {
      if (value.includes('canary')) expect(text).not.toContain(value)
    }
  })

  it('takes nothing from the files of the project, which it is free to read as text (ENV-02)', async () => {
    expect(existsSync(marker)).toBe(false)
    const posture = need(await client.posture.get({}))
    expect(posture.lines.find(({ id }) => id === 'fixtures')?.state).toBe('enforced')
    expect(endpoint.received.length).toBe(3)
    expect(new URL(server.url).port).not.toBe('1')
  })

  it('names each variable that changes the runtime, what it does, and never its value (ENV-04)', async () => {
    const warnings = server
      .said()
      .split('\n')
      .filter((line) => line.startsWith('Warning: '))
    expect(warnings.map((line) => line.split(' ')[1]).sort()).toEqual(Object.keys(meddling).sort())
    for (const value of [...Object.values(shell), meddling['NODE_PATH'] ?? '']) expect(server.said()).not.toContain(value)
    const { lines } = need(await client.posture.get({}))
    expect(lines.find(({ id }) => id === 'environment')).toMatchObject({ state: 'partly' })
    expect(lines.find(({ id }) => id === 'crash')).toMatchObject({ state: 'enforced' })
  })

  it('shows no secret in the arguments or the environment of any process that it starts (ENV-06)', () => {
    const { commands, environments } = seen
    expect([...commands].filter((command) => command.includes('guardian')).length).toBeGreaterThan(0)
    expect([...commands].some((command) => command.includes('git'))).toBe(true)
    for (const secret of [key, prompt, 'a long enough passphrase', ...Object.values(shell)]) {
      expect([...commands].filter((command) => command.includes(secret))).toEqual([])
      expect([...environments].filter((environment) => environment.includes(secret))).toEqual([])
    }
  })

  it('checks certificates though it was told not to, sends nothing then, and says so to an administrator (ENV-04, LOG-05)', async () => {
    let requests = 0
    const https = createServer(makeSelfSigned(), (_request, response) => {
      requests += 1
      response.end('{"data":[]}')
    })
    https.listen(0, '127.0.0.1')
    await once(https, 'listening')
    const secure = `https://127.0.0.1:${(https.address() as AddressInfo).port}/v1`
    const refused = await client.provider.listModels({ baseUrl: secure, apiKey: key })
    https.close()
    expect(refused).toMatchObject({
      ok: false,
      refusal: { code: 'endpoint_untrusted', details: { problem: 'it is self-signed' } },
    })
    expect(requests).toBe(0)
    expect((await client.provider.listModels({ baseUrl: endpoint.baseUrl })).ok).toBe(true)

    await using elsewhere = await startScriptedEndpoint({ steps: [redirects('https://evil.test/v1')] })
    const { provider } = need(
      await client.provider.create({ name: 'moved', kind: 'custom', baseUrl: elsewhere.baseUrl, apiKey: key, models: ['m'] }),
    )
    const { run } = need(await client.run.start({ prompt, model: { providerId: provider.id, modelId: 'm' } }))
    for await (const _ of client.run.stream({ runId: run.id })) {
      // To its end.
    }
    const { events } = need(await client.audit.list({}))
    expect(events.filter(({ kind }) => kind.startsWith('egress_')).map(({ kind, where, count }) => [kind, where, count])).toEqual(
      [
        ['egress_redirected', 'POST /chat/completions', 1],
        ['egress_certificate_refused', 'GET /models', 1],
      ],
    )
    for (const told of [key, prompt, 'evil.test', secure]) expect(JSON.stringify(events)).not.toContain(told)
  })
})

describe('a server that is told to write its memory down (ENV-07)', () => {
  it.each([
    ['a snapshot of the heap or a report on a signal', 'SIGUSR2', '--heapsnapshot-signal=SIGUSR2 --report-on-signal'],
    ['a core dump or a report of a fatal error', 'SIGSEGV', '--report-on-fatalerror --report-uncaught-exception'],
  ] as const)('leaves nothing of it: %s', async (_what, signal, options) => {
    const cwd = mkdtempSync(path.join(base, 'crash-'))
    const secret = canary('memory')
    const server = await startIn(cwd, cwd, { DEPLOY_SECRET: secret, NODE_OPTIONS: options }, 'ulimit -c unlimited 2>/dev/null;')
    expect(readFileSync(`/proc/${server.child.pid}/coredump_filter`, 'utf8').trim()).toBe('00000000')
    await stop(server.child, signal)
    const files = readdirSync(cwd, { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.filter(({ name }) => /snapshot|report/.test(name))).toEqual([])
    expect(files.filter(({ name }) => readFileSync(path.join(cwd, name)).includes(secret))).toEqual([])
  })
})

/** Command line and environment of every process below one, looked at as often as this process gets to it. */
function watchChildren(parent: number) {
  const commands = new Set<string>()
  const environments = new Set<string>()
  const own = readOf(parent, 'cmdline')
  let going = true
  const ended = (async () => {
    while (going) {
      for (const pid of descendantsOf(parent)) {
        const command = readOf(pid, 'cmdline')
        // Between fork and exec a child still is its parent.
        if (command === '' || command === own) continue
        commands.add(command)
        environments.add(readOf(pid, 'environ'))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  return {
    commands,
    environments,
    end: () => {
      going = false
      return ended
    },
  }
}

function descendantsOf(pid: number): number[] {
  const tasks = listOf(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) =>
    readFileOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  )
  return [...children, ...children.flatMap(descendantsOf)]
}

function readOf(pid: number, file: 'cmdline' | 'environ'): string {
  return readFileOf(`/proc/${pid}/${file}`).replaceAll('\0', ' ')
}

function readFileOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function listOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
