/** The keychain of the operating system, where the key can lie that opens the key home. */
import { randomBytes } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** Entries of this program, by name. Each call refuses with keychain_unusable when the keychain is absent or stays shut. */
export interface Keychain {
  /** Null when there is no such entry. */
  read(entry: string): Promise<Result<string | null>>
  write(entry: string, secret: string): Promise<Result<'written'>>
  /** One that is gone already is no mistake. */
  remove(entry: string): Promise<Result<'removed'>>
}

/** Under which the entries stand in the keychain, for whoever looks at it. */
const service = 'bridlewise'

/**
 * The system's own, loaded at the first call and not before.
 *
 * Contract: on Linux it is the Secret Service alone. The kernel's keyring, which the package would fall
 * back to, forgets everything when the machine stops.
 */
export const systemKeychain: Keychain = {
  read: (entry) => ask(entry, (open) => open.getPassword()),
  write: (entry, secret) => ask(entry, (open) => open.setPassword(secret).then(() => 'written' as const)),
  remove: (entry) => ask(entry, (open) => open.deletePassword().then(() => 'removed' as const)),
}

/**
 * Find out whether the keychain keeps what it is given, by a round trip.
 *
 * Refuses: keychain_unusable.
 */
export async function proveKeychain(keychain: Keychain): Promise<Result<'works'>> {
  const entry = `trial-${randomBytes(8).toString('hex')}`
  const secret = randomBytes(16).toString('hex')
  const written = await keychain.write(entry, secret)
  if (!written.ok) return written
  const back = await keychain.read(entry)
  const removed = await keychain.remove(entry)
  if (!back.ok) return back
  if (!removed.ok) return removed
  return back.value === secret ? ok('works') : refuseKeychain('it did not give back what it was given')
}

export function refuseKeychain(problem: string) {
  return refuse('keychain_unusable', { problem })
}

type OpenEntry = InstanceType<Awaited<typeof import('@napi-rs/keyring')>['AsyncEntry']>

async function ask<T>(entry: string, question: (open: OpenEntry) => Promise<T>): Promise<Result<T>> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    return ok(await question(new AsyncEntry(service, entry, { linux: { store: 'secret-service' } })))
  } catch (error) {
    return refuseKeychain(nameProblem(error))
  }
}

/** The package says in words what the system answered; it has no codes for it. */
function nameProblem(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    return 'the package for it is not installed'
  }
  const said = error instanceof Error ? error.message : String(error)
  return (said.split('\n', 1)[0] ?? '').slice(0, 200)
}
