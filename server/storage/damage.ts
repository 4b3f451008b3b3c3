/** Whether the file is what SQLite wrote. */
import type { Database } from './database.ts'
import { sqliteCode } from './reader.ts'

/**
 * What SQLite finds wrong with the file, or null.
 *
 * Contract: every page is read, so the time grows with the file; `table` narrows it to one.
 */
export function findDamage(database: Pick<Database, 'prepare'>, table?: string): string | null {
  const scope = table === undefined ? '3' : `'${table.replaceAll("'", "''")}'`
  try {
    const found = database.prepare<[], { quick_check: string }>(`PRAGMA quick_check(${scope})`).all()
    const problems = found.map((row) => row.quick_check).filter((text) => text !== 'ok')
    return problems.length === 0 ? null : problems.slice(0, 3).join('; ')
  } catch (error) {
    return nameDamage(error)
  }
}

/** The same for an error of SQLite; rethrows every other one. */
export function nameDamage(error: unknown): string {
  const code = sqliteCode(error)
  if (code === null) throw error
  return `SQLite says ${code}`
}
