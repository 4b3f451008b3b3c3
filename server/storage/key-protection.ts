/** Keys in the clear are put under a passphrase or the system's keychain, from one under the other, and back. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { refuseFault } from './fault.ts'
import { type Homes, prepareHomes } from './homes.ts'
import {
  type KeyHome,
  lockedName,
  type Opened,
  openKeyHome,
  type Protection,
  readLocked,
  type Unlock,
  writeLocked,
} from './key-access.ts'
import { deriveOpener, drawKeychainLock, drawPassphraseLock } from './key-file.ts'
import { drawKey, readKeys, removeAllKeys, storeKey } from './key-home.ts'
import { type Keychain, proveKeychain, systemKeychain } from './keychain.ts'
import { lockDataHome } from './lock.ts'
import { judgePassphrase } from './passphrase.ts'
import { removePrivateFile } from './private-file.ts'

export interface Protected {
  /** What protected them until now. */
  readonly before: Protection
  /** Ids of the keys. */
  readonly keys: readonly string[]
}

/**
 * Put the keys under a passphrase, or under another one.
 *
 * Contract: at every moment, also after a kill, the keys open as before or as from now on. Where they
 * lay in the clear they do so no longer when this returns; a kill in between is made up for by the next
 * unlock. No server runs.
 * Refuses: what `openKeyHome` refuses, data_home_unusable, data_home_locked, key_home_empty,
 * passphrase_unusable.
 */
export async function protectKeys(wanted: Homes, passphrase: string, unlock: Unlock = {}): Promise<Result<Protected>> {
  const fit = judgePassphrase(passphrase)
  if (!fit.ok) return fit
  return changeLock(wanted, unlock, async () => {
    const lock = drawPassphraseLock()
    return ok({ lock, opener: await deriveOpener(lock, passphrase) })
  })
}

/**
 * Put the keys under a new entry of the system's keychain.
 *
 * Contract: as `protectKeys`. The keychain has given the entry back before anything is under it.
 * Refuses: keychain_unusable, and what `protectKeys` refuses.
 */
export async function protectKeysByKeychain(wanted: Homes, unlock: Unlock = {}): Promise<Result<Protected>> {
  const { keychain = systemKeychain } = unlock
  return changeLock(wanted, unlock, async () => {
    const works = await proveKeychain(keychain)
    if (!works.ok) return works
    const lock = drawKeychainLock()
    const opener = drawKey()
    const written = await keychain.write(lock.entry, opener.toString('base64url'))
    if (!written.ok) return written
    const back = await keychain.read(lock.entry)
    if (!back.ok) return back
    if (back.value === opener.toString('base64url')) return ok({ lock, opener })
    return refuse('keychain_unusable', { problem: 'it did not give back what it was given' })
  })
}

/**
 * Put the keys back in the clear.
 *
 * Contract: at every moment, also after a kill, the keys open as before or need nothing. No server runs.
 * Refuses: key_home_bare, and what `protectKeys` refuses.
 */
export async function unprotectKeys(
  wanted: Homes,
  from: Exclude<Protection, 'none'>,
  unlock: Unlock = {},
): Promise<Result<Protected>> {
  return alone(wanted, unlock, async (home, keys) => {
    if (home.protection !== from) return refuse('key_home_bare', { path: home.path, protection: wordFor[from] })
    const entry = findEntry(home.path)
    for (const key of keys.values()) {
      const stored = storeKey(home.path, key)
      if (!stored.ok) return stored
    }
    const bare = readKeys(home.path)
    if (!bare.ok) return bare
    const missing = [...keys.keys()].some((id) => !bare.value.has(id))
    if (missing) throw new Error('a key that was just written is not there')
    removePrivateFile(home.path, lockedName)
    await forget(entry, unlock.keychain)
    return ok({ before: home.protection, keys: [...keys.keys()] })
  })
}

const wordFor = { passphrase: 'a passphrase', keychain: 'the keychain' } as const

function changeLock(wanted: Homes, unlock: Unlock, makeLock: () => Promise<Result<Opened>>): Promise<Result<Protected>> {
  return alone(wanted, unlock, async (home, keys) => {
    if (keys.size === 0) return refuse('key_home_empty', { path: home.path })
    const entry = findEntry(home.path)
    const made = await makeLock()
    if (!made.ok) return made
    writeLocked(home.path, [...keys.values()], made.value)
    removeAllKeys(home.path)
    await forget(entry, unlock.keychain)
    return ok({ before: home.protection, keys: [...keys.keys()] })
  })
}

/** The homes prepared, no server beside us, the keys opened; a full disk is a refusal. */
async function alone<T>(
  wanted: Homes,
  unlock: Unlock,
  work: (home: KeyHome, keys: ReadonlyMap<string, Buffer>) => Promise<Result<T>>,
): Promise<Result<T>> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  const lock = lockDataHome(homes.value.data)
  if (!lock.ok) return lock
  try {
    const home = await openKeyHome(homes.value.keys, unlock)
    if (!home.ok) return home
    const keys = home.value.read()
    return keys.ok ? await work(home.value, keys.value) : keys
  } catch (error) {
    return refuseFault(error)
  } finally {
    lock.value.release()
  }
}

/** The entry of the keychain that the key home is under now. */
function findEntry(path: string): string | null {
  const locked = readLocked(path)
  return locked.ok && locked.value?.lock.kind === 'keychain' ? locked.value.lock.entry : null
}

/** An entry that stays because the keychain says no opens nothing any more. */
async function forget(entry: string | null, keychain: Keychain = systemKeychain): Promise<void> {
  if (entry !== null) await keychain.remove(entry)
}
