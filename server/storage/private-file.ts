/** Files of the key home: looked at before they are believed, and written so that a kill leaves the old or the new one whole. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { ok, type Result } from '@bridlewise/shared/refusals'
import { isOurs, unsafe } from './homes.ts'

/** What a file that is being written is called until it is whole: the name, eight digits, and this. */
export const draftEnding = '.new'

/**
 * Read a file that nobody else could have read or exchanged.
 *
 * Refuses: key_home_unsafe.
 */
export function readPrivateFile(path: string, fits: (bytes: number) => string | null): Result<Buffer> {
  let file: number
  try {
    // Neither follows a link nor waits for the other end of a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return unsafe(path, 'it is a link or cannot be read', 'Put the key file itself there, readable by you alone.')
  }
  try {
    const stat = fstatSync(file)
    const problem = findProblem(stat) ?? findMisfit(fits(stat.size))
    if (problem !== null) return unsafe(path, problem.what, problem.remedy.replace('{path}', path))
    return ok(readFileSync(file))
  } finally {
    closeSync(file)
  }
}

/**
 * Put a file in place of the one of that name, for this user alone.
 *
 * Contract: it was read back from its draft before its name appears, and is durable when this returns.
 * Throws what the system says.
 */
export function writePrivateFile(home: string, name: string, bytes: Uint8Array): void {
  const mask = process.umask(0o077)
  const draft = join(home, `${name}.${randomBytes(4).toString('hex')}${draftEnding}`)
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeSync(file, bytes)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (!readFileSync(draft).equals(bytes)) throw new Error('what was read back was not what had been written')
    renameSync(draft, join(home, name))
    syncDirectory(home)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    process.umask(mask)
  }
}

/** Contract: the name is gone from the disk when this returns; one that is gone already is no mistake. */
export function removePrivateFile(home: string, name: string): void {
  rmSync(join(home, name), { force: true })
  syncDirectory(home)
}

/** A new or removed name is durable once its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

const putBack = 'Put the right key file back.'

function findProblem(stat: Stats): { readonly what: string; readonly remedy: string } | null {
  if (!stat.isFile()) return { what: 'it is not a regular file', remedy: putBack }
  if (!isOurs(stat)) return { what: 'it belongs to another user', remedy: 'Run: chown $USER {path}' }
  if ((stat.mode & 0o077) !== 0) return { what: 'others can read it', remedy: 'Run: chmod 600 {path}' }
  if (stat.nlink !== 1) return { what: 'it has a second name (hard link)', remedy: 'Remove the other name.' }
  return null
}

function findMisfit(what: string | null): { readonly what: string; readonly remedy: string } | null {
  return what === null ? null : { what, remedy: putBack }
}
