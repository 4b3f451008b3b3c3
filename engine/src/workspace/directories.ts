/** Directories that a new file needs: made on the way down, and taken away again when the file does not stay. */
import { closeSync, fsyncSync, mkdirSync, rmdirSync } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { entryOf, openChild, openDirectory, openRoot, type RootPin, readCode } from './descent.ts'
import { joinPath, splitName, splitPath } from './path.ts'

/**
 * Open the directory at a normal path, making what is missing of it. The caller closes the descriptor.
 *
 * Contract: `made` names what was made, outermost first; on a refusal nothing of it is left.
 * Refuses: what `openDirectory` refuses but path_missing, and write_failed.
 */
export function openOrMakeDirectory(
  pin: RootPin,
  path: string,
): Result<{ readonly fd: number; readonly made: readonly string[] }> {
  const made: string[] = []
  let here = openRoot(pin)
  let walked = '.'
  for (const name of splitPath(path)) {
    if (!here.ok) break
    const parent = here.value
    walked = joinPath(walked, name)
    here = openChild(parent, name, walked)
    if (!here.ok && here.refusal.code === 'path_missing') {
      const problem = makeChild(parent, name)
      if (problem === null) made.push(walked)
      here = problem === null ? openChild(parent, name, walked) : refuse('write_failed', { path: walked, problem })
    }
    closeSync(parent)
  }
  if (here.ok) return ok({ fd: here.value, made })
  for (const each of made.toReversed()) removeIfEmpty(pin, each)
  return here
}

/** Remove a directory that was made, unless somebody has put something into it meanwhile. */
export function removeIfEmpty(pin: RootPin, path: string): void {
  const { directory, name } = splitName(path)
  const parent = openDirectory(pin, directory)
  if (!parent.ok) return
  try {
    rmdirSync(entryOf(parent.value, name))
  } catch (cause) {
    if (!['ENOTEMPTY', 'ENOENT', 'ENOTDIR'].includes(readCode(cause))) throw cause
  } finally {
    closeSync(parent.value)
  }
}

/** The error code of what went wrong, or null. The parent is synced: a durable file needs a durable way to it. */
function makeChild(parent: number, name: string): string | null {
  try {
    mkdirSync(entryOf(parent, name))
    fsyncSync(parent)
    return null
  } catch (cause) {
    return readCode(cause)
  }
}
