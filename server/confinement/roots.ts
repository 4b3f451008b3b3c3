/** Which directories a command may be given. */
import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** Directories that belong to the machine: a project is never one of them, though it may lie below. */
const machine = [
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
]

export interface Surroundings {
  readonly userHome: string
  /** Data home, key home, the scratch directory: neither around a project nor in it. */
  readonly apart: readonly string[]
}

/**
 * The real path of a project root, fit to be opened to a command.
 *
 * Refuses: project_missing, project_path_invalid.
 */
export async function checkRoot(surroundings: Surroundings, root: string): Promise<Result<string>> {
  const invalid = (problem: string) => refuse('project_path_invalid', { path: root, problem })
  if (!isAbsolute(root) || root.includes('\0')) return invalid('it is not an absolute path')
  const real = await realpathOrNull(root)
  if (real === null) return refuse('project_missing', { path: root })
  if (machine.includes(real)) return invalid('it is a directory of the system')
  if (contains(real, await settle(surroundings.userHome))) return invalid('it is the home directory or holds it')
  for (const place of surroundings.apart) {
    const other = await settle(place)
    if (contains(real, other)) return invalid('it holds data that no command may see')
    if (contains(other, real)) return invalid('it lies where no command may see')
  }
  return ok(real)
}

/** True when `inner` is `outer` or lies below it. Both absolute, without links. */
export function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner)
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path))
}

export async function realpathOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch {
    return null
  }
}

/** A place that does not exist yet is taken as it is written. */
async function settle(path: string): Promise<string> {
  return (await realpathOrNull(path)) ?? path
}
