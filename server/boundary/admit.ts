/**
 * The choke point: every request passes here before any handler, file, stream or 404.
 *
 * The steps stand in the order in which they are taken. Those in `formSteps` look at the request
 * alone; then come the credentials, the access rule and the rate. The body is read after all of them.
 */

import type { Access, RateClass } from '@bridlewise/shared'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Accounts, Caller, Credentials, Whence } from '../accounts/index.ts'
import { checkBody } from './body.ts'
import { readCredentials, readDevice } from './credentials.ts'
import { checkExtras, checkMethod, checkSingular, checkTarget, checkVersion } from './form.ts'
import { checkHost } from './host.ts'
import { checkMetadata, checkOrigin } from './origin.ts'
import { addressKey, type RateBook } from './rate.ts'
import { isApi, type RequestFacts } from './request.ts'

/** What a route asks of its callers. */
export interface Guard {
  readonly access: Access
  readonly rate: RateClass
  /** The block of the operation: what an access token may be limited to. */
  readonly block?: string
}

/** A call that was let in. */
export interface Admission {
  readonly caller: Caller | null
  /** What the caller showed, to be asked again while a stream is open. */
  readonly credentials: Credentials | null
  readonly whence: Whence
}

/** A call that was not let in, and whose it was, as far as that was proven. */
interface Denial {
  readonly ok: false
  readonly refusal: Refusal
  readonly caller: Caller | null
}

export interface Door {
  /** Empty until the socket listens: until then nothing is served. */
  readonly hosts: ReadonlySet<string>
  /** The server is stopping. */
  readonly shut: boolean
  /** Null while the key home is locked: nobody can be known. */
  readonly accounts: Pick<Accounts, 'authenticate'> | null
  readonly rates: RateBook
}

const formSteps: readonly ((facts: RequestFacts, door: Door) => Refusal | null)[] = [
  (facts, door) => checkHost(facts, door.hosts),
  checkVersion,
  checkSingular,
  checkTarget,
  checkOrigin,
  checkMetadata,
  checkMethod,
  checkExtras,
  checkBody,
  (_facts, door) => (door.shut ? makeRefusal('server_stopping') : null),
]

/** The form of a request, judged without knowing its route. Null lets it pass. */
export function checkForm(facts: RequestFacts, door: Door): Refusal | null {
  for (const step of formSteps) {
    const refusal = step(facts, door)
    if (refusal) return refusal
  }
  return null
}

/**
 * Let a call in, or say why not.
 *
 * Contract: a public operation is called by nobody, whatever credentials came along. Calls without
 * valid credentials share one bucket per address; an account has its own. Attempts by nobody at a
 * password or a code are counted behind the door, by whoever learns which were wrong and whose they were.
 * Refuses: key_home_locked, session_missing, token_missing, request_malformed, token_out_of_scope, access_denied,
 * rate_limited.
 */
export function admit(
  facts: RequestFacts,
  door: Door,
  at: { readonly guard: Guard; readonly address: string | undefined },
): { readonly ok: true; readonly value: Admission } | Denial {
  const { guard } = at
  const whence = { address: addressKey(at.address), device: readDevice(facts) }
  if (guard.access === 'public') {
    const seconds = door.rates.take(guard.rate === 'secret' ? 'light' : guard.rate, whence.address)
    return seconds > 0 ? limited(seconds, null) : { ok: true, value: { caller: null, credentials: null, whence } }
  }
  if (door.accounts === null) {
    const seconds = door.rates.take('light', whence.address)
    return seconds > 0 ? limited(seconds, null) : deny(makeRefusal('key_home_locked'), null)
  }
  const credentials = readCredentials(facts)
  const caller = credentials.ok ? door.accounts.authenticate(credentials.value) : credentials
  if (!caller.ok) {
    const seconds = door.rates.take('light', whence.address)
    return seconds > 0 ? limited(seconds, null) : deny(caller.refusal, null)
  }
  const { blocks } = caller.value
  if (blocks && !(guard.block && blocks.includes(guard.block))) {
    return deny(makeRefusal('token_out_of_scope', { place: guard.block ?? 'this' }), caller.value)
  }
  if (guard.access === 'admin' && caller.value.role !== 'admin') return deny(makeRefusal('access_denied'), caller.value)
  const seconds = door.rates.take(guard.rate, caller.value.userId)
  if (seconds > 0) return limited(seconds, caller.value)
  return { ok: true, value: { caller: caller.value, credentials: credentials.ok ? credentials.value : null, whence } }
}

/** The rule for a route that declared none: whatever lies under `/api` needs a caller. */
export function defaultGuard(facts: RequestFacts): Guard {
  return { access: isApi(facts) ? 'member' : 'public', rate: 'light' }
}

function limited(seconds: number, caller: Caller | null): Denial {
  return deny(makeRefusal('rate_limited', { seconds }), caller)
}

function deny(refusal: Refusal, caller: Caller | null): Denial {
  return { ok: false, refusal, caller }
}
