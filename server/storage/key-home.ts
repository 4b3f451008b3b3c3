/** Keys in the clear: one file a key, 32 bytes, named after the key's own fingerprint. */
import { hash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { systemProblem, unsafe } from './homes.ts'
import { draftEnding, readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts'

export const keyBytes = 32
const ending = '.key'

/**
 * Read every key, looking at each file before believing it.
 *
 * Contract: the name must be the fingerprint of the content, so a swapped or wrong key is noticed
 * here and not at the first value that does not open.
 * Refuses: key_home_unsafe.
 */
export function readKeys(home: string): Result<Map<string, Buffer>> {
  const keys = new Map<string, Buffer>()
  for (const name of readdirSync(home)) {
    if (!name.endsWith(ending)) continue
    const key = readPrivateFile(join(home, name), judgeSize)
    if (!key.ok) return key
    const id = fingerprint(key.value)
    if (name !== id + ending) {
      return unsafe(home, `${name} does not hold the key of that name`, 'Put the right key file back.')
    }
    keys.set(id, key.value)
  }
  return ok(keys)
}

/** A key that nobody has seen. */
export function drawKey(): Buffer {
  return randomBytes(keyBytes)
}

/**
 * Make a key and put it on the disk before anything is sealed with it.
 *
 * Refuses: key_home_unsafe, when it cannot be written.
 */
export function createKey(home: string): Result<{ readonly id: string; readonly key: Buffer }> {
  const key = drawKey()
  const stored = storeKey(home, key)
  return stored.ok ? ok({ id: stored.value, key }) : stored
}

/**
 * Put a key on the disk under its own name, and answer with its id.
 *
 * Contract: a kill leaves either the whole key or a file that is no key; the same key again changes nothing.
 * Refuses: key_home_unsafe, when it cannot be written.
 */
export function storeKey(home: string, key: Buffer): Result<string> {
  const id = fingerprint(key)
  try {
    writePrivateFile(home, id + ending, key)
  } catch (error) {
    return refuseUnwritable(home, error)
  }
  return ok(id)
}

export function refuseUnwritable(home: string, error: unknown) {
  return unsafe(home, `no key can be written there, ${systemProblem(error)}`, 'Make room, or make it writable for you alone.')
}

/** Contract: the caller knows that nothing needs the key any more. One that is gone already is no mistake. */
export function removeKey(home: string, id: string): void {
  removePrivateFile(home, id + ending)
}

/** Take every key in the clear off the disk, drafts that a kill left included. */
export function removeAllKeys(home: string): void {
  for (const name of listKeyFiles(home)) removePrivateFile(home, name)
}

/** Names of the files that hold a key in the clear, and of drafts, which may hold one. */
export function listKeyFiles(home: string): readonly string[] {
  return readdirSync(home).filter((name) => name.endsWith(ending) || name.endsWith(draftEnding))
}

/** Eight bytes of a SHA-256, in hex: names a key and gives nothing of it away. */
export function fingerprint(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('bridlewise key '), key]), 'hex').slice(0, 16)
}

function judgeSize(bytes: number): string | null {
  return bytes === keyBytes ? null : `it has ${bytes} bytes and a key has ${keyBytes}`
}
