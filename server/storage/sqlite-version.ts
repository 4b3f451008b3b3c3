/** Which SQLite may hold the data. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/**
 * From 3.7.0 to 3.51.2 a write that meets the reset of the log can damage the database
 * (sqlite.org/wal.html, "The WAL-Reset Bug"); 3.44.6 and 3.50.7 carry the repair as well.
 *
 * Refuses: sqlite_unsafe.
 */
export function requireSafeSqlite(version: string): Result<'safe'> {
  return isRepaired(version) ? ok('safe') : refuse('sqlite_unsafe', { version })
}

const firstRepaired = '3.51.3'
const repairedBranches = ['3.44.6', '3.50.7']

function isRepaired(version: string): boolean {
  if (compare(version, firstRepaired) >= 0) return true
  return repairedBranches.some((from) => branchOf(from) === branchOf(version) && compare(version, from) >= 0)
}

function branchOf(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
