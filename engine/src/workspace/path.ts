/** Paths as words: from what a model or a person wrote to the one normal form, without looking at the disk. */
import { posix } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** What Linux takes, in bytes. */
const maxPathBytes = 4096
const maxPartBytes = 255

/**
 * Bring a path to its normal form below the root: no `.`, no `..`, no doubled or trailing slash; `.` is the root.
 *
 * Refuses: path_invalid, path_outside_project.
 */
export function normalisePath(root: string, path: string): Result<string> {
  const problem = findProblem(path)
  if (problem !== null) return refuse('path_invalid', { path: path.slice(0, maxPartBytes), problem })
  if (path === '~' || path.startsWith('~/')) return refuse('path_outside_project', { path })
  const normal = posix.normalize(path)
  const relative = posix.isAbsolute(normal) ? cutRoot(root, normal) : normal
  if (relative === null || relative === '..' || relative.startsWith('../')) return refuse('path_outside_project', { path })
  return ok(relative.replace(/\/$/, '') || '.')
}

/** The parts of a normal path; none for the root. */
export function splitPath(path: string): string[] {
  return path === '.' ? [] : path.split('/')
}

/** Where a file stands: the path of its directory, and its name in there. */
export function splitName(path: string): { readonly directory: string; readonly name: string } {
  return { directory: posix.dirname(path), name: posix.basename(path) }
}

/** The normal path of an entry of a directory. */
export function joinPath(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`
}

function findProblem(path: string): string | null {
  if (path.trim() === '') return 'it is empty'
  if (path.includes('\0')) return 'it holds a zero byte'
  if (!path.isWellFormed()) return 'it holds half a character'
  if (path.includes('\\')) return 'write its parts with forward slashes'
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'it is an address, not a path'
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`
  if (path.split('/').some((part) => Buffer.byteLength(part) > maxPartBytes)) return `a part is longer than ${maxPartBytes} bytes`
  return null
}

/** Compared part by part: `/p/app2` is not below `/p/app`. */
function cutRoot(root: string, absolute: string): string | null {
  if (absolute === root || absolute === `${root}/`) return '.'
  return absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : null
}
