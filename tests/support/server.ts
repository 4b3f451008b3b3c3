/** A real server in this process, on homes of its own and a free port, with every reply checked against its declaration. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type AppOptions, type Config, type RunningServer, readConfig, startServer } from '@bridlewise/server'
import type { BlockList } from '@bridlewise/shared'
import { need } from './script-client.ts'

/** What a browser holds after it signed in. */
export interface Session {
  readonly cookie: string
  readonly token: string
  /** Both, as the cockpit sends them. */
  readonly headers: Readonly<Record<string, string>>
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly config: Config
  /** Every log line so far. */
  readonly log: readonly string[]
  readonly running: RunningServer
  /** Do the setup, or sign in when it was done. */
  signIn(): Promise<Session>
}

export const passphrase = 'a long enough passphrase'

export async function startTestServer<const Extra extends BlockList = readonly []>(
  options: AppOptions<Extra> & { readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<TestServer> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-server-'))
  const config = need(
    readConfig({
      HARNESS_WEB_DATA: path.join(base, 'data'),
      HARNESS_WEB_KEYS: path.join(base, 'keys'),
      HARNESS_WEB_PORT: '0',
      ...options.environment,
    }),
  )
  const log: string[] = []
  const running = need(
    await startServer(config, {
      replies: 'checked',
      log: { level: 'info', stream: { write: (line: string) => log.push(line) > 0 } },
      ...options,
    }),
  )
  return {
    url: running.url,
    port: Number(new URL(running.url).port),
    config,
    log,
    running,
    async signIn() {
      const code = running.setupCode()
      const [operation, input] = code === null ? ['login', {}] : ['setup', { code }]
      const response = await fetch(`${running.url}/api/account/${operation}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...input, username: 'ada', password: passphrase }),
      })
      const { token } = (await response.json()) as { token: string }
      const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      return { cookie, token, headers: { cookie, 'x-bridlewise-token': token } }
    },
    async [Symbol.asyncDispose]() {
      await running.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}
