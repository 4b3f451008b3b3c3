/** The server as a user runs it: its own process, on its own homes, that a test may kill and start again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

export interface Homes {
  readonly base: string
  readonly data: string
  readonly keys: string
}

export class ServerProcess implements AsyncDisposable {
  readonly homes: Homes
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  #log = ''
  #port = 0

  private constructor(homes: Homes, env: Readonly<Record<string, string>>) {
    this.homes = homes
    this.#env = env
  }

  /** Fresh homes unless a directory of them is given, a free port, and a server that answers. The same port is used after a restart. */
  static async start(
    env: Readonly<Record<string, string>> = {},
    base = mkdtempSync(path.join(tmpdir(), 'bridlewise-journey-')),
  ): Promise<ServerProcess> {
    const server = new ServerProcess({ base, data: path.join(base, 'data'), keys: path.join(base, 'keys') }, env)
    await server.restart()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Everything that the server printed so far. */
  get log(): string {
    return this.#log
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get setupCode(): string {
    return readFileSync(path.join(this.homes.data, 'setup-code'), 'utf8').trim()
  }

  /** Start it, or start it again after `kill`. Resolves once it has printed its address. */
  async restart(): Promise<void> {
    const child = spawn(process.execPath, ['server/main.js'], {
      cwd: root,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        HARNESS_WEB_DATA: this.homes.data,
        HARNESS_WEB_KEYS: this.homes.keys,
        HARNESS_WEB_PORT: String(this.#port),
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let since = ''
    await new Promise<void>((resolve, reject) => {
      const take = (chunk: Buffer) => {
        this.#log += chunk.toString()
        since += chunk.toString()
        const address = /http:\/\/127\.0\.0\.1:(\d+)/.exec(since)
        if (!address) return
        this.#port = Number(address[1])
        resolve()
      }
      child.stdout?.on('data', take)
      child.stderr?.on('data', take)
      child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it listened:\n${this.#log}`)))
    })
  }

  /** End it without warning, as a crash or a power cut would. Gives its exit code, also of one that ended by itself; null after a signal. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    this.#child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
    return child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM')
    rmSync(this.homes.base, { recursive: true, force: true })
    rmSync(`${this.homes.data}-demo`, { recursive: true, force: true })
  }
}
