/** Whether a directory may become a project, and what pins it to this very directory. */
import { constants } from 'node:fs'
import { access, lstat, realpath } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** Directories that no project may lie in, hold, or be. */
export interface Reserved {
  readonly userHome: string
  /** Data home and key home. */
  readonly homes: readonly string[]
}

/** Device and inode as decimal text: both exceed what a JavaScript number holds exactly. */
export interface PinnedDirectory {
  /** Absolute, links resolved. */
  readonly path: string
  readonly device: string
  readonly inode: string
}

/**
 * Accept a directory as a project.
 *
 * Contract: reads; creates and changes nothing. The directory itself is not a link; links above it
 * are resolved, so that one directory has one path.
 * Refuses: project_path_invalid.
 */
export async function acceptDirectory(path: string, reserved: Reserved): Promise<Result<PinnedDirectory>> {
  const invalid = (problem: string) => refuse('project_path_invalid', { path, problem })
  if (!isAbsolute(path)) return invalid('it must be an absolute path')
  if (path.includes('\0')) return invalid('it contains a NUL byte')
  try {
    const entry = await lstat(withoutEnd(path), { bigint: true })
    if (entry.isSymbolicLink()) return invalid('it is a symbolic link; give the directory that it leads to')
    if (!entry.isDirectory()) return invalid('it is not a directory')
    const real = await realpath(path)
    if (real === '/') return invalid('the whole file system is too much for one project')
    if (isWithin(real, await realOrSame(reserved.userHome))) {
      return invalid('it holds your whole home directory; choose a directory below it')
    }
    for (const home of reserved.homes) {
      const place = await realOrSame(home)
      if (isWithin(place, real) || isWithin(real, place))
        return invalid(`it overlaps ${home}, where this server keeps its own data`)
    }
    await access(real, constants.R_OK | constants.X_OK)
    return ok({ path: real, device: String(entry.dev), inode: String(entry.ino) })
  } catch (cause) {
    return invalid(explain(cause))
  }
}

/** Whether the directory that was pinned still stands at its path. */
export async function isPresent(pinned: PinnedDirectory): Promise<boolean> {
  try {
    const entry = await lstat(pinned.path, { bigint: true })
    return entry.isDirectory() && String(entry.dev) === pinned.device && String(entry.ino) === pinned.inode
  } catch {
    return false
  }
}

/** What the file system said, in words; what it cannot have said is a fault. */
export function explain(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such directory',
    ENOTDIR: 'a part of the path is not a directory',
    EACCES: 'it cannot be read by this user',
    EPERM: 'it cannot be read by this user',
    ELOOP: 'its links lead in a circle',
    ENAMETOOLONG: 'the path is too long',
    EROFS: 'the file system is read-only',
  }
  const problem = words[code]
  if (problem === undefined) throw new Error('the file system failed', { cause })
  return problem
}

/** Whether `inner` is `outer` or lies below it. */
function isWithin(outer: string, inner: string): boolean {
  const way = relative(outer, inner)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

/** A home that does not exist yet has no links to resolve. */
async function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** `lstat` of `link/` looks behind the link. */
function withoutEnd(path: string): string {
  return path.replace(/\/+$/, '') || '/'
}
