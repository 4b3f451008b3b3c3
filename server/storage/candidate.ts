/** A file that somebody wants to restore. Nobody vouches for it, so it is judged before anything in it counts. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findDamage, nameDamage } from './damage.ts'
import { type Database, openDatabase } from './database.ts'
import { apply, readApplied, readJournal } from './migrate.ts'
import { openReader } from './reader.ts'

/**
 * Looks at the first hundred bytes (sqlite.org/fileformat2.html, 1.3) and the size.
 *
 * Contract: neither waits for the other end of a pipe nor believes a size that the file does not have.
 * Refuses: backup_unusable, naming `shown`.
 */
export function judgeHeader(path: string, shown: string): Result<{ readonly bytes: number }> {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return unusable(shown, 'it does not exist or cannot be read')
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return unusable(shown, 'it is not a regular file')
    const header = Buffer.alloc(headerBytes)
    const read = readSync(descriptor, header, 0, headerBytes, 0)
    const problem = read < headerBytes ? 'it is too short for a database' : findHeaderProblem(header, stat.size)
    return problem === null ? ok({ bytes: stat.size }) : unusable(shown, problem)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Reads a private copy of it.
 *
 * Contract: its tables, indexes and triggers are word for word those that our migrations make, and no
 * others, before anything but their list was read; so no trigger, view or expression of its own runs.
 * Refuses: backup_unusable, schema_newer.
 */
export function judgeContent(path: string, shown: string): Result<'fit'> {
  try {
    const reader = openReader(path)
    try {
      return judgeSchema(reader, shown) ?? judgePages(reader, shown)
    } finally {
      reader.close()
    }
  } catch (error) {
    return unusable(shown, `it is damaged (${nameDamage(error)})`)
  }
}

export function unusable(path: string, problem: string) {
  return refuse('backup_unusable', { path, problem })
}

const headerBytes = 100
const magic = 'SQLite format 3\0'

function findHeaderProblem(header: Buffer, size: number): string | null {
  if (header.toString('latin1', 0, 16) !== magic) return 'it is not a SQLite database'
  const said = header.readUInt16BE(16)
  const pageSize = said === 1 ? 65_536 : said
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return 'its header is not one that SQLite writes'
  if (header[18] === 2 || header[19] === 2) {
    return 'it is a bare copy of a database in use, and its log is missing; "bridlewise backup" makes a whole one'
  }
  const pages = header.readUInt32BE(28)
  if (pages * pageSize !== size) return `it should have ${pages * pageSize} bytes and has ${size}`
  return null
}

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

/** A refusal, or null when the schema is ours. */
function judgeSchema(reader: Pick<Database, 'prepare'>, shown: string): ReturnType<typeof refuse> | null {
  const found = listSchema(reader)
  if (!found.some(({ type, name }) => type === 'table' && name === '__drizzle_migrations')) {
    return unusable(shown, 'it is not a database of Bridlewise')
  }
  const known = readJournal()
  const applied = readApplied(reader)
  if (applied > (known.at(-1)?.when ?? 0)) return refuse('schema_newer', {})
  const upTo = known.findIndex(({ when }) => when === applied)
  if (upTo === -1) return unusable(shown, 'its version is not one that was ever released')
  const expected = new Set(expectSchema(known.slice(0, upTo + 1)).map(describe))
  const foreign = found.find((row) => !expected.delete(describe(row)))
  if (foreign) return unusable(shown, `it holds a ${foreign.type} named ${JSON.stringify(foreign.name)} that is not ours`)
  const [missing] = expected
  return missing === undefined ? null : unusable(shown, 'a table, an index or a trigger is missing in it')
}

function expectSchema(migrations: Parameters<typeof apply>[1]): SchemaRow[] {
  const reference = openDatabase(':memory:')
  try {
    apply(reference, migrations)
    return listSchema(reference)
  } finally {
    reference.close()
  }
}

function listSchema(database: Pick<Database, 'prepare'>): SchemaRow[] {
  return database.prepare<[], SchemaRow>('SELECT type, name, tbl_name, sql FROM sqlite_schema').all()
}

function describe({ type, name, tbl_name, sql }: SchemaRow): string {
  return JSON.stringify([type, name, tbl_name, sql])
}

function judgePages(reader: Pick<Database, 'prepare'>, shown: string): Result<'fit'> {
  const damage = findDamage(reader)
  if (damage !== null) return unusable(shown, `it is damaged (${damage})`)
  const broken = reader.prepare<[], { table: string }>('PRAGMA foreign_key_check').get()
  return broken === undefined ? ok('fit') : unusable(shown, `a row of ${broken.table} points at nothing`)
}
