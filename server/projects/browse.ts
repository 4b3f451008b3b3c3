/** The directories of a directory, to choose a project from. */
import { lstat, opendir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { explain } from './accept.ts'

export interface Listing {
  readonly path: string
  readonly parent: string | null
  readonly directories: { readonly name: string; readonly path: string; readonly git: boolean }[]
  /** Whether there are more than are shown. */
  readonly cut: boolean
}

/** Entries looked at, and directories shown. */
const mostEntries = 20_000
const mostShown = 500

/**
 * List directories.
 *
 * Contract: links are left out, since they cannot become projects; hidden directories come last.
 * Refuses: project_path_invalid.
 */
export async function browseDirectories(path: string): Promise<Result<Listing>> {
  const invalid = (problem: string) => refuse('project_path_invalid', { path, problem })
  if (!isAbsolute(path)) return invalid('it must be an absolute path')
  if (path.includes('\0')) return invalid('it contains a NUL byte')
  try {
    const real = await realpath(path)
    const names: string[] = []
    let seen = 0
    for await (const entry of await opendir(real)) {
      seen += 1
      if (seen > mostEntries) break
      if (entry.isDirectory()) names.push(entry.name)
    }
    const shown = names.sort(visibleFirst).slice(0, mostShown)
    const directories = await Promise.all(
      shown.map(async (name) => ({ name, path: join(real, name), git: await exists(join(real, name, '.git')) })),
    )
    const parent = real === '/' ? null : dirname(real)
    return ok({ path: real, parent, directories, cut: seen > mostEntries || names.length > shown.length })
  } catch (cause) {
    return invalid(explain(cause))
  }
}

function visibleFirst(one: string, other: string): number {
  return Number(one.startsWith('.')) - Number(other.startsWith('.')) || one.localeCompare(other)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
