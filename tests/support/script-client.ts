/** The typed client as a user's own script has it: an access token, and no cookie. */
import { blocks } from '@bridlewise/shared'
import { createClient } from '@bridlewise/shared/client'
import type { Result } from '@bridlewise/shared/refusals'
import { type Caller, setUp } from '../../server/cli/index.ts'

export type ScriptClient = Caller

/** Do the setup of a fresh server and come back with a client that holds an access token. */
export async function signUp(url: string, code: string): Promise<ScriptClient> {
  const browser = need(await setUp(url, { code, username: 'ada', password: 'a long enough passphrase' }))
  const { token } = need(await browser.account.createToken({ name: 'script' }))
  return scriptClient(url, token.secret)
}

/** A client that shows this access token. */
export function scriptClient(url: string, secret: string): ScriptClient {
  return createClient(blocks, { origin: url, fetch, headers: () => ({ authorization: `Bearer ${secret}` }) })
}

/** The value of a result that a test takes for granted. */
export function need<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`)
  return result.value
}
