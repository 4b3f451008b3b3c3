/** Private directories and files: made for the owner alone, and looked at again at every start. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, relative } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findFileSystem } from './file-system.ts'

/** Where things lie on disk. The key home must not be inside the data home. */
export interface Homes {
  readonly data: string
  readonly keys: string
}

/**
 * Make both homes when they are missing, tighten what may be tightened, refuse the rest.
 *
 * Returns their real paths. A link to the data home is followed, a link to the key home is not.
 * Refuses: data_home_unusable, key_home_unsafe.
 */
export function prepareHomes(homes: Homes): Result<Homes> {
  const data = prepareDataHome(homes.data)
  if (!data.ok) return data
  const keys = prepareKeyHome(homes.keys)
  if (!keys.ok) return keys
  if (isInside(keys.value, data.value)) {
    return unsafe(keys.value, 'it lies inside the data home', 'Set HARNESS_WEB_KEYS to a directory elsewhere.')
  }
  return ok({ data: data.value, keys: keys.value })
}

/** Creates an empty file that only its owner can read, or leaves the one that is there. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

export function unsafe(path: string, problem: string, remedy: string) {
  return refuse('key_home_unsafe', { path, problem, remedy })
}

/** True for the user that this process runs as, and where the system has no user ids. */
export function isOurs(stat: Stats): boolean {
  const uid = process.getuid?.()
  return uid === undefined || stat.uid === uid
}

function prepareDataHome(path: string): Result<string> {
  const unusable = (problem: string) => refuse('data_home_unusable', { path, problem })
  const blocked = findObstacle(path)
  if (blocked !== null) return unusable(`${blocked}. Move it away, or set HARNESS_WEB_DATA to another directory`)
  try {
    makePrivateDirectory(path)
    const real = realpathSync(path)
    const stat = statSync(real)
    if (!isOurs(stat)) return unusable('it belongs to another user. Set HARNESS_WEB_DATA to a directory of your own')
    if (Buffer.byteLength(real) > longestHome) {
      return unusable(
        `its path has more than the ${longestHome} bytes that the database can take. Set HARNESS_WEB_DATA to a shorter one`,
      )
    }
    const { name, trust } = findFileSystem(real)
    if (trust === 'none') {
      return unusable(
        `it lies on ${name}, whose locks do not hold. Set HARNESS_WEB_DATA to a directory on a disk of this machine`,
      )
    }
    if (isOpen(stat)) chmodSync(real, 0o700)
    accessSync(real, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok(real)
  } catch (error) {
    return unusable(systemProblem(error))
  }
}

/** SQLite takes paths of 512 bytes, and names its log after the database. */
const longestHome = 480

/** What stands in the way of a directory: the first thing on the way to it that is no directory and leads to none. */
function findObstacle(path: string): string | null {
  const target = lookAt(statSync, path)
  if (target) return target.isDirectory() ? null : `${path} is a file, and a directory is needed there`
  if (lookAt(lstatSync, path)) return `${path} is a link that leads nowhere`
  return dirname(path) === path ? null : findObstacle(dirname(path))
}

/** Null for what is not there, and for what cannot be reached: then something on the way to it is in the way. */
function lookAt(look: (path: string) => Stats, path: string): Stats | null {
  try {
    return look(path)
  } catch {
    return null
  }
}

function prepareKeyHome(path: string): Result<string> {
  const blocked = findObstacle(path)
  if (blocked !== null) return unsafe(path, blocked, 'Move it away, or set HARNESS_WEB_KEYS to another directory.')
  try {
    makePrivateDirectory(path)
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return unsafe(path, 'it is a symbolic link', 'Name the directory itself in HARNESS_WEB_KEYS.')
    if (!stat.isDirectory()) return unsafe(path, 'it is not a directory', 'Move the file away.')
    if (!isOurs(stat)) return unsafe(path, 'it belongs to another user', 'Use a directory of your own.')
    const open = findOpenParent(realpathSync(path))
    if (open !== null) return unsafe(path, `everyone can write to ${open}, which it lies in`, `Run: chmod o-w ${open}`)
    if (isOpen(stat)) {
      // Nothing was ever readable in an empty one; with keys in it, the owner has to decide.
      if (readdirSync(path).length > 0) return unsafe(path, 'others can enter it', `Run: chmod 700 ${path}`)
      chmodSync(path, 0o700)
    }
    accessSync(path, constants.R_OK | constants.X_OK)
    return ok(realpathSync(path))
  } catch (error) {
    return unsafe(path, systemProblem(error), 'Make it a directory that you can write to.')
  }
}

/** Whoever can write to a directory can put another one in the place of what lies in it; the sticky bit forbids it. */
function findOpenParent(path: string): string | null {
  const parent = dirname(path)
  if ((statSync(parent).mode & 0o1002) === 0o002) return parent
  return parent === path ? null : findOpenParent(parent)
}

function makePrivateDirectory(path: string): void {
  const mask = process.umask(0o077)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } finally {
    process.umask(mask)
  }
}

function isOpen(stat: Stats): boolean {
  return (stat.mode & 0o077) !== 0
}

/** Whether a path is the home or lies in it; both absolute, links resolved. */
export function isInside(path: string, home: string): boolean {
  const way = relative(home, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !way.startsWith('/'))
}

/** What went wrong, in words where there are some, with the system's own (`EACCES`); an error without one is a fault. */
export function systemProblem(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
  const words = problems[error.code]
  return words === undefined ? `the system says ${error.code}` : `${words} (${error.code})`
}

const problems: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk has no room, or none for another file',
  EDQUOT: 'the quota of this user is used up',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its links go round in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  EIO: 'its disk fails',
}
