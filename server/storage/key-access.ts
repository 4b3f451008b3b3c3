/** The key home, opened: its keys, whether they lie there in the clear or in one file that has to be unlocked. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { unsafe } from './homes.ts'
import { deriveOpener, type KeyLock, mostKeyFileBytes, openKeys, readKeyText, type SealedKeys, sealKeys } from './key-file.ts'
import { fingerprint, listKeyFiles, readKeys, refuseUnwritable, removeAllKeys, removeKey, storeKey } from './key-home.ts'
import { type Keychain, refuseKeychain, systemKeychain } from './keychain.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** What stands between a reader of the key home and the keys, besides the file's modes. */
export type Protection = 'none' | KeyLock['kind']

/** What opens a key home that is protected. */
export interface Unlock {
  readonly passphrase?: string
  /** The system's own, unless a test brings one. */
  readonly keychain?: Keychain
}

export interface KeyHome {
  readonly path: string
  readonly protection: Protection
  /** Every key, by id; read anew at each call. Refuses: key_home_unsafe. */
  read(): Result<ReadonlyMap<string, Buffer>>
  /** Contract: durable when this returns; the same key again changes nothing. Refuses: key_home_unsafe. */
  add(key: Buffer): Result<string>
  /** Contract: the caller knows that nothing needs the key any more. Throws what the system says. */
  remove(id: string): void
  /**
   * Finish a protection that a kill cut off: keys in the clear beside the locked ones join them, and go.
   *
   * Refuses: key_home_unsafe.
   */
  settle(): Result<'settled'>
}

/** In place of every key file in the clear. */
export const lockedName = 'keys.locked'

/**
 * Ask what protects the key home, without opening it.
 *
 * Refuses: key_home_unsafe, also when the file of the keys is none or asks for a cost out of bounds.
 */
export function readProtection(path: string): Result<Protection> {
  const locked = readLocked(path)
  return locked.ok ? ok(locked.value?.lock.kind ?? 'none') : locked
}

/** How many files in the clear, or drafts of such, lie beside the locked keys. */
export function countBareKeys(path: string): number {
  return listKeyFiles(path).length
}

/**
 * Open a key home.
 *
 * Contract: changes nothing. A wrong passphrase costs as much as the right one, and is not told from a changed file.
 * Refuses: key_home_unsafe, key_home_locked, passphrase_wrong, keychain_unusable.
 */
export async function openKeyHome(path: string, unlock: Unlock = {}): Promise<Result<KeyHome>> {
  const locked = readLocked(path)
  if (!locked.ok) return locked
  if (locked.value === null) return ok(openBare(path))
  const { lock } = locked.value
  const opener = await findOpener(lock, unlock)
  if (!opener.ok) return opener
  if (openKeys(locked.value, opener.value) === null) {
    return lock.kind === 'passphrase' ? refuse('passphrase_wrong') : refuseKeychain('its entry does not open the key home')
  }
  return ok(openLocked(path, lock, opener.value))
}

/** Contract: readable under its name only once it is whole, in place of what was there. Throws what the system says. */
export function writeLocked(path: string, keys: readonly Buffer[], { lock, opener }: Opened): void {
  writePrivateFile(path, lockedName, Buffer.from(sealKeys(keys, lock, opener)))
}

export interface Opened {
  readonly lock: KeyLock
  /** What the lock says where to take from: 32 bytes. */
  readonly opener: Buffer
}

/** Null when the keys of this home lie in the clear. */
export function readLocked(path: string): Result<SealedKeys | null> {
  const file = join(path, lockedName)
  if (!existsSync(file)) return ok(null)
  const bytes = readPrivateFile(file, (size) => (size <= mostKeyFileBytes ? null : 'it is too large for a key file'))
  if (!bytes.ok) return bytes
  const text = readKeyText(bytes.value.toString('utf8'))
  return text.kind === 'keys' ? ok(text.sealed) : unsafe(file, text.problem, 'Put the right file back, or import your key file.')
}

function openBare(path: string): KeyHome {
  return {
    path,
    protection: 'none',
    read: () => readKeys(path),
    add: (key) => storeKey(path, key),
    remove: (id) => removeKey(path, id),
    settle: () => ok('settled'),
  }
}

function openLocked(path: string, lock: KeyLock, opener: Buffer): KeyHome {
  /** Those in the file, without what lies beside it. */
  function readFile(): Result<Map<string, Buffer>> {
    const locked = readLocked(path)
    if (!locked.ok) return locked
    const keys = locked.value === null ? null : openKeys(locked.value, opener)
    if (keys === null) return unsafe(path, `${lockedName} was exchanged after it had been opened`, 'Start again.')
    return ok(new Map(keys.map((key) => [fingerprint(key), key])))
  }

  function read(): Result<Map<string, Buffer>> {
    const bare = readKeys(path)
    if (!bare.ok) return bare
    const kept = readFile()
    return kept.ok ? ok(new Map([...kept.value, ...bare.value])) : kept
  }

  return {
    path,
    protection: lock.kind,
    read,
    add(key) {
      const keys = readFile()
      if (!keys.ok) return keys
      const id = fingerprint(key)
      if (keys.value.has(id)) return ok(id)
      try {
        writeLocked(path, [...keys.value.values(), key], { lock, opener })
      } catch (error) {
        return refuseUnwritable(path, error)
      }
      return ok(id)
    },
    remove(id) {
      const keys = readFile()
      if (keys.ok && keys.value.delete(id)) writeLocked(path, [...keys.value.values()], { lock, opener })
    },
    settle() {
      if (listKeyFiles(path).length === 0) return ok('settled')
      const keys = read()
      if (!keys.ok) return keys
      try {
        writeLocked(path, [...keys.value.values()], { lock, opener })
        removeAllKeys(path)
      } catch (error) {
        return refuseUnwritable(path, error)
      }
      return ok('settled')
    },
  }
}

async function findOpener(lock: KeyLock, { passphrase, keychain = systemKeychain }: Unlock): Promise<Result<Buffer>> {
  if (lock.kind === 'passphrase') {
    return passphrase === undefined ? refuse('key_home_locked') : ok(await deriveOpener(lock, passphrase))
  }
  const secret = await keychain.read(lock.entry)
  if (!secret.ok) return secret
  if (secret.value === null) return refuseKeychain('it holds no entry for this key home')
  const opener = Buffer.from(secret.value, 'base64url')
  return opener.length === 32 ? ok(opener) : refuseKeychain('its entry for this key home is not a key')
}
