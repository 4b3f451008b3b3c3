/** Whether a directory may become a project, and what pins it to this very directory. */
import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Confinement } from '../confinement/index.ts'

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
 * are resolved, so that one directory has one path. Where a project may lie is decided in one place,
 * by the confinement that will have to hold around it.
 * Refuses: project_path_invalid.
 */
export async function acceptDirectory(
  path: string,
  confinement: Pick<Confinement, 'checkRoot'>,
): Promise<Result<PinnedDirectory>> {
  const invalid = (problem: string) => refuse('project_path_invalid', { path, problem })
  if (!isAbsolute(path)) return invalid('it must be an absolute path')
  if (path.includes('\0')) return invalid('it contains a NUL byte')
  try {
    const entry = await lstat(withoutEnd(path), { bigint: true })
    if (entry.isSymbolicLink()) return invalid('it is a symbolic link; give the directory that it leads to')
    if (!entry.isDirectory()) return invalid('it is not a directory')
    const root = await confinement.checkRoot(path)
    if (!root.ok) return root.refusal.code === 'project_missing' ? invalid(explain({ code: 'ENOENT' })) : root
    await access(root.value, constants.R_OK | constants.X_OK)
    return ok({ path: root.value, device: String(entry.dev), inode: String(entry.ino) })
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

const words: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such directory'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EACCES', 'this user has no access to it'],
  ['EPERM', 'this user has no access to it'],
  ['EEXIST', 'a file stands where a directory is needed'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EROFS', 'the file system is read-only'],
])

/** What the file system said, in words. Throws what it cannot have said about a path: that is a fault. */
export function explain(cause: unknown): string {
  const problem = typeof cause === 'object' && cause !== null && 'code' in cause ? words.get(cause.code) : undefined
  if (problem === undefined) throw new Error('the file system failed', { cause })
  return problem
}

/** `lstat` of `link/` looks behind the link. */
function withoutEnd(path: string): string {
  return path.replace(/\/+$/, '') || '/'
}
