/** Who is signed in, and what stands before that: a server to find, keys to unlock, an account to create, a password to give. */
import type { User } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { StatePorts } from './ports.ts'

export type Phase = 'starting' | 'unreachable' | 'locked' | 'setup' | 'signed_out' | 'signed_in'

const tokenName = 'token'
/** Outlives the session: by it the next sign-in is told apart from strangers' guesses. */
const deviceName = 'device'

export class SessionState {
  phase = $state<Phase>('starting')
  user = $state.raw<User | null>(null)
  version = $state('')
  /** Why the sign-in screen is back, when it is not the first visit. */
  expired = $state(false)
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  /** Find out where we stand. Safe to repeat until the server answers. */
  async begin(): Promise<void> {
    const { account, health } = this.#ports.client.calls
    const [status, server] = await Promise.all([account.status({}), health.get({})])
    if (server.ok) this.version = server.value.version
    if (!status.ok) {
      this.phase = status.refusal.code === 'key_home_locked' ? 'locked' : 'unreachable'
      return
    }
    if (!status.value.setupDone) {
      this.phase = 'setup'
      return
    }
    if (this.#ports.store.get(tokenName) === null) {
      this.phase = 'signed_out'
      return
    }
    const session = await account.session({})
    if (session.ok) this.#enter(session.value.user)
    else this.phase = session.refusal.code === 'server_unreachable' ? 'unreachable' : 'signed_out'
  }

  /** Contract: what the page holds stays: a session from before the lock still counts behind it. */
  lock(): void {
    this.phase = 'locked'
  }

  /** Somebody else may have been faster; what counts is that it is open. */
  async unlock(passphrase: string): Promise<Refusal | null> {
    const reply = await this.#ports.client.calls.lock.unlock({ passphrase })
    if (!reply.ok && reply.refusal.code !== 'key_home_open') return reply.refusal
    await this.begin()
    return null
  }

  setUp(given: { code: string; username: string; password: string }): Promise<Refusal | null> {
    return this.#receive(this.#ports.client.calls.account.setup(given))
  }

  signIn(given: { username: string; password: string }): Promise<Refusal | null> {
    return this.#receive(this.#ports.client.calls.account.login(given))
  }

  acceptInvite(given: { code: string; username: string; password: string }): Promise<Refusal | null> {
    return this.#receive(this.#ports.client.calls.account.acceptInvite(given))
  }

  redeemReset(given: { code: string; password: string }): Promise<Refusal | null> {
    return this.#receive(this.#ports.client.calls.account.redeemReset(given))
  }

  async signOut(): Promise<void> {
    await this.#ports.client.calls.account.logout({})
    this.#leave()
    this.expired = false
  }

  /** The server no longer takes the session. Drafts stay; the address stays. */
  lose(): void {
    if (this.phase !== 'signed_in') return
    this.#leave()
    this.expired = true
  }

  async #receive(call: Promise<Result<{ token: string; device: string; user: User }>>): Promise<Refusal | null> {
    const reply = await call
    if (!reply.ok) {
      if (reply.refusal.code === 'setup_done') this.phase = 'signed_out'
      if (reply.refusal.code === 'setup_required') this.phase = 'setup'
      return reply.refusal
    }
    this.#ports.store.set(tokenName, reply.value.token)
    this.#ports.store.set(deviceName, reply.value.device)
    this.#enter(reply.value.user)
    return null
  }

  #enter(user: User): void {
    this.user = user
    this.expired = false
    this.phase = 'signed_in'
  }

  #leave(): void {
    this.#ports.store.remove(tokenName)
    this.user = null
    this.phase = 'signed_out'
  }
}

/** The token that each call carries; read at the call, because it changes with the session. */
export function readToken(store: StatePorts['store']): string | null {
  return store.get(tokenName)
}

/** Carried by calls of nobody: signing in is one. */
export function readDevice(store: StatePorts['store']): string | null {
  return store.get(deviceName)
}
