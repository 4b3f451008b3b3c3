/** The key home: one file a key, 32 bytes, named after the key's own fingerprint. */
import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { isOurs, systemProblem, unsafe } from './homes.ts'

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
    const key = readKey(join(home, name))
    if (!key.ok) return key
    const id = fingerprint(key.value)
    if (name !== id + ending) {
      return unsafe(home, `${name} does not hold the key of that name`, 'Put the right key file back.')
    }
    keys.set(id, key.value)
  }
  return ok(keys)
}

/**
 * Make a key and put it on the disk before anything is sealed with it.
 *
 * Refuses: key_home_unsafe, when it cannot be written.
 */
export function createKey(home: string): Result<{ readonly id: string; readonly key: Buffer }> {
  const key = randomBytes(keyBytes)
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
    writeKey(home, id, key)
  } catch (error) {
    return unsafe(home, `no key can be written there, ${systemProblem(error)}`, 'Make room, or make it writable for you alone.')
  }
  return ok(id)
}

/** Contract: the caller knows that nothing needs the key any more. One that is gone already is no mistake. */
export function removeKey(home: string, id: string): void {
  rmSync(join(home, id + ending), { force: true })
  syncDirectory(home)
}

function writeKey(home: string, id: string, key: Buffer): void {
  const mask = process.umask(0o077)
  const draft = join(home, `${id}.${randomBytes(4).toString('hex')}.new`)
  try {
    const file = openSync(draft, 'wx', 0o600)
    writeSync(file, key)
    fsyncSync(file)
    closeSync(file)
    renameSync(draft, join(home, id + ending))
    syncDirectory(home)
  } finally {
    process.umask(mask)
  }
}

/** A new or removed name is durable once its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** Eight bytes of a SHA-256, in hex: names a key and gives nothing of it away. */
export function fingerprint(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('bridlewise key '), key]), 'hex').slice(0, 16)
}

function readKey(path: string): Result<Buffer> {
  let file: number
  try {
    // Neither follows a link nor waits for the other end of a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return unsafe(path, 'it is a link or cannot be read', 'Put the key file itself there, readable by you alone.')
  }
  try {
    const problem = findProblem(fstatSync(file))
    if (problem !== null) return unsafe(path, problem.what, problem.remedy.replace('{path}', path))
    return ok(readFileSync(file))
  } finally {
    closeSync(file)
  }
}

function findProblem(stat: Stats): { readonly what: string; readonly remedy: string } | null {
  const putBack = 'Put the right key file back.'
  if (!stat.isFile()) return { what: 'it is not a regular file', remedy: putBack }
  if (!isOurs(stat)) return { what: 'it belongs to another user', remedy: 'Run: chown $USER {path}' }
  if ((stat.mode & 0o077) !== 0) return { what: 'others can read it', remedy: 'Run: chmod 600 {path}' }
  if (stat.nlink !== 1) return { what: 'it has a second name (hard link)', remedy: 'Remove the other name.' }
  if (stat.size !== keyBytes) return { what: `it has ${stat.size} bytes and a key has ${keyBytes}`, remedy: putBack }
  return null
}
