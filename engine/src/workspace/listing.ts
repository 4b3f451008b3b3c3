/** One directory, listed: what a model or a person may see of it, and a count of the rest. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import type { Result } from '@bridlewise/shared/refusals'
import type { Skipped } from '@bridlewise/shared/wire'
import { entryOf, type RootPin, withDirectory } from './descent.ts'
import { findRules, type IgnoreRules } from './ignore-rules.ts'
import { isHiddenName } from './names.ts'
import { joinPath } from './path.ts'
import { type SkipReason, SkipTally } from './skips.ts'

interface ListingEntry {
  /** In normal form, from the root. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'link' | 'other'
  /** Size of a file; null for anything else. */
  readonly bytes: number | null
}

export interface Listing {
  readonly path: string
  readonly entries: readonly ListingEntry[]
  readonly skipped: readonly Skipped[]
}

/** Entries of a directory that are listed; the rest is counted under `limit`. */
const maxEntries = 5000

/** List the directory at a normal path. Refuses: what `openDirectory` refuses. */
export async function listDirectory(pin: RootPin, path: string): Promise<Result<Listing>> {
  const rules = findRules(pin, path)
  if (!rules.ok) return rules
  return withDirectory(pin, path, (fd) => readListing(fd, path, rules.value))
}

/** The entries of a directory we hold, by name, in code unit order: the same on every machine. */
export function readEntries(fd: number): Dirent[] {
  return readdirSync(`/proc/self/fd/${fd}`, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Why an entry is not shown, or null. Names that are not UTF-8 cannot be asked for and count as unreadable. */
export function findSkip(entry: Dirent, rules: IgnoreRules): SkipReason | null {
  if (isHiddenName(entry.name)) return 'hidden'
  if (entry.name.includes('\ufffd')) return 'unreadable'
  return rules.findRule(entry.isDirectory() ? `${entry.name}/` : entry.name) === null ? null : 'ignored'
}

function readListing(fd: number, path: string, rules: IgnoreRules): Listing {
  const skipped = new SkipTally()
  const entries: ListingEntry[] = []
  for (const entry of readEntries(fd)) {
    const reason = findSkip(entry, rules) ?? (entries.length < maxEntries ? null : 'limit')
    if (reason === null) entries.push(describeEntry(fd, path, entry))
    else skipped.add(reason)
  }
  return { path, entries, skipped: skipped.list() }
}

function describeEntry(fd: number, directory: string, entry: Dirent): ListingEntry {
  const path = joinPath(directory, entry.name)
  if (entry.isDirectory()) return { path, type: 'directory', bytes: null }
  if (entry.isSymbolicLink()) return { path, type: 'link', bytes: null }
  if (!entry.isFile()) return { path, type: 'other', bytes: null }
  return { path, type: 'file', bytes: lstatSync(entryOf(fd, entry.name), { throwIfNoEntry: false })?.size ?? null }
}
