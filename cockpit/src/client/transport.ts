/** The way to this origin's server: the token on each call, and news about the session and the line. */
import type { Transport } from '@bridlewise/shared/client'
import { type RefusalCode, refusalReplySchema } from '@bridlewise/shared/refusals'
import { limitSilence } from './silence.ts'

/** Who wants to know how the line fares. */
export interface LineWatch {
  /** The session or its token is no longer accepted. Sign in again; nothing else is lost. */
  signedOut(): void
  /** The server was started anew, and its key home waits for a passphrase. */
  locked(): void
  reached(): void
  unreachable(): void
}

export interface TransportGiven {
  readonly origin: string
  readonly fetch: typeof globalThis.fetch
  readonly token: () => string | null
  /** The mark of this browser from an earlier sign-in, for the next one. */
  readonly device: () => string | null
  readonly watch: LineWatch
}

/** A server sends a heartbeat at least every 15 s, so twice that without a byte means a dead line. */
const silenceMs = 30_000

export function createTransport(given: TransportGiven): Transport {
  const send: typeof globalThis.fetch = async (resource, init) => {
    try {
      const response = await given.fetch(resource, { ...init, cache: 'no-store', credentials: 'same-origin' })
      given.watch.reached()
      const code = response.status === 401 || response.status === 423 ? await readCode(response) : null
      if (code === 'session_missing' || code === 'token_missing') given.watch.signedOut()
      if (code === 'key_home_locked') given.watch.locked()
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
      return isStream ? limitSilence(response, silenceMs) : response
    } catch (cause) {
      if (!init?.signal?.aborted) given.watch.unreachable()
      throw cause
    }
  }
  return {
    origin: given.origin,
    fetch: send,
    headers: (): Record<string, string> => {
      const token = given.token()
      if (token) return { 'x-bridlewise-token': token }
      const device = given.device()
      return device ? { 'x-bridlewise-device': device } : {}
    },
  }
}

/** Told by code, not by status: a 401 also answers a wrong password, which must not sign anybody out. */
async function readCode(response: Response): Promise<RefusalCode | null> {
  const reply = refusalReplySchema.safeParse(
    await response
      .clone()
      .json()
      .catch(() => null),
  )
  return reply.success ? reply.data.refusal.code : null
}
