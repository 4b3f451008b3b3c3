/**
 * The way down from the root: one descriptor a hop, no link followed, nothing checked that is not also held.
 *
 * Each hop opens `/proc/self/fd/<directory>/<name>`: the kernel starts at the directory we hold, whatever
 * has been renamed above it meanwhile, and O_NOFOLLOW makes it stop at a link. A path is never checked
 * first and used later. The calls are synchronous because a hop costs microseconds and a trip through
 * the thread pool costs more; callers that make many give the event loop its turns.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { joinPath, splitName, splitPath } from './path.ts'

/** The project root as it was when it was opened: its path and what the file system called it. */
export interface RootPin {
  readonly path: string
  readonly device: number
  readonly inode: number
}

export interface OpenFile {
  readonly fd: number
  readonly stats: Stats
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** O_NONBLOCK so that a pipe that took a file's place cannot hold us up. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Name an entry of a directory we hold. */
export function entryOf(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`
}

/**
 * Open the pinned root. The caller closes the descriptor.
 *
 * Refuses: project_missing when the path is gone or is another directory by now.
 */
export function openRoot(pin: RootPin): Result<number> {
  let fd: number
  try {
    fd = openSync(pin.path, directoryFlags)
  } catch (cause) {
    if (readCode(cause) === 'EMFILE') throw cause
    return refuse('project_missing', { path: pin.path })
  }
  const stats = fstatSync(fd)
  if (stats.dev === pin.device && stats.ino === pin.inode) return ok(fd)
  closeSync(fd)
  return refuse('project_missing', { path: pin.path })
}

/**
 * Open the directory at a normal path. The caller closes the descriptor.
 *
 * Refuses: project_missing, path_missing, path_is_link, path_wrong_kind, path_unreadable.
 */
export function openDirectory(pin: RootPin, path: string): Result<number> {
  let here = openRoot(pin)
  let walked = '.'
  for (const name of splitPath(path)) {
    if (!here.ok) return here
    const parent = here.value
    walked = joinPath(walked, name)
    here = openChild(parent, name, walked)
    closeSync(parent)
  }
  return here
}

/** Open one directory inside another; `path` is only for the words of a refusal. */
export function openChild(parent: number, name: string, path: string): Result<number> {
  try {
    return ok(openSync(entryOf(parent, name), directoryFlags))
  } catch (cause) {
    return refuseEntry({ parent, name, path, wanted: 'a directory' }, cause)
  }
}

/**
 * Open a regular file inside a directory we hold, for reading. The caller closes it.
 *
 * Refuses: path_missing, path_is_link, path_wrong_kind, path_unreadable.
 */
export function openFile(parent: number, name: string, path: string): Result<OpenFile> {
  const seen = { parent, name, path, wanted: 'a file' }
  try {
    const fd = openSync(entryOf(parent, name), fileFlags)
    const stats = fstatSync(fd)
    if (stats.isFile()) return ok({ fd, stats })
    closeSync(fd)
    return refuseKind(seen, nameKind(stats))
  } catch (cause) {
    return refuseEntry(seen, cause)
  }
}

/** Do something with the directory at a path while it is held, and let go of it whatever happens. */
export async function withDirectory<T>(
  pin: RootPin,
  path: string,
  act: (directory: number) => T | Promise<T>,
): Promise<Result<T>> {
  const directory = openDirectory(pin, path)
  if (!directory.ok) return directory
  try {
    return ok(await act(directory.value))
  } finally {
    closeSync(directory.value)
  }
}

/** The same for the directory a file stands in; flattens the result of `act`. */
export async function withParent<T>(
  pin: RootPin,
  path: string,
  act: (directory: number, name: string) => Result<T> | Promise<Result<T>>,
): Promise<Result<T>> {
  const { directory, name } = splitName(path)
  const done = await withDirectory(pin, directory, (fd) => act(fd, name))
  return done.ok ? done.value : done
}

/** What stands under a name, in the words of a refusal; null when nothing does. */
export function findKind(parent: number, name: string): string | null {
  const stats = lstatSync(entryOf(parent, name), { throwIfNoEntry: false })
  return stats === undefined ? null : nameKind(stats)
}

/** The error code of a failed system call; other faults are passed on. */
export function readCode(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  throw cause
}

interface Entry {
  readonly parent: number
  readonly name: string
  readonly path: string
  readonly wanted: string
}

/** Say why an entry could not be opened. What stands there is looked up again, for the words only. */
function refuseEntry(entry: Entry, cause: unknown): ReturnType<typeof refuse> {
  const code = readCode(cause)
  const { path } = entry
  if (code === 'ENOENT') return refuse('path_missing', { path })
  if (code === 'EACCES' || code === 'EPERM') return refuse('path_unreadable', { path, problem: 'no permission' })
  if (code === 'EMFILE' || code === 'ENFILE') throw cause
  const found = findKind(entry.parent, entry.name)
  if (found !== null && found !== entry.wanted) return refuseKind(entry, found)
  return refuse('path_unreadable', { path, problem: code })
}

function refuseKind({ path, wanted }: Entry, found: string): ReturnType<typeof refuse> {
  return found === 'a symbolic link' ? refuse('path_is_link', { path }) : refuse('path_wrong_kind', { path, found, wanted })
}

function nameKind(stats: Stats): string {
  if (stats.isFile()) return 'a file'
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  return 'a device, pipe or socket'
}
