/**
 * What the last server knew of the database, in a small file beside it.
 *
 * SQLite cannot tell that its log was taken away, or that an older file was put in its place: what is
 * left is a sound database without the last writes. This file can: it names the newest ledger entry at
 * the last start or stop, and whether the server that wrote it has stopped in order.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Database } from './database.ts'
import type { LedgerHead } from './ledger.ts'
import { sqliteCode } from './reader.ts'

export interface Witness extends LedgerHead {
  /** While true, the log of the database is there. */
  readonly open: boolean
}

export const witnessName = 'witness.json'

/** Contract: replaces the file as a whole. A lost update leaves an older head, never one that is ahead. */
export function writeWitness(home: string, witness: Witness): void {
  const { open, seq, hash } = witness
  const path = join(home, witnessName)
  writeFileSync(`${path}.new`, `${JSON.stringify({ open, seq, hash })}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export interface WitnessKeeper {
  /** Contract: comes before the log is folded in; a kill between the two would else look like a lost log. */
  settle(): void
}

/** Milliseconds: of what was recorded longer ago than this, a loss is noticed at the next start. */
const renewalMs = 1000

/** Notes the newest entry down now and while the server runs. It is durable before it is noted. */
export function keepWitness(home: string, head: () => LedgerHead): WitnessKeeper {
  let noted = head()
  writeWitness(home, { ...noted, open: true })
  const timer = setInterval(() => {
    const current = head()
    if (current.seq === noted.seq) return
    noted = current
    try {
      writeWitness(home, { ...current, open: true })
    } catch {
      // Nowhere to write it: the older one stays, and is as true as it was.
    }
  }, renewalMs).unref()
  return {
    settle() {
      clearInterval(timer)
      settleWitness(home, head())
    },
  }
}

/** The same at a stop. A witness that cannot be brought up to date is removed: none misleads less than a wrong one. */
export function settleWitness(home: string, head: LedgerHead): void {
  try {
    writeWitness(home, { ...head, open: false })
  } catch {
    rmSync(join(home, witnessName), { force: true })
  }
}

/** Null where no server has run yet, and where the file says nothing that can be read. */
export function readWitness(home: string): Witness | null {
  try {
    const { open, seq, hash } = JSON.parse(readFileSync(join(home, witnessName), 'utf8')) as Partial<Witness>
    return typeof open === 'boolean' && typeof seq === 'number' && typeof hash === 'string' ? { open, seq, hash } : null
  } catch {
    return null
  }
}

/** Looks at the files alone, before anything opens them. Refuses: data_incomplete. */
export function requireFiles(home: string, path: string): Result<'there'> {
  const witness = readWitness(home)
  const empty = isEmpty(path)
  const log = existsSync(`${path}-wal`)
  if (witness === null)
    return empty && !isEmpty(`${path}-wal`) ? lacking(home, 'its database is gone, and the log of it is there') : ok('there')
  // SQLite takes an empty file for a new database, and throws the log beside it away.
  if (empty) return lacking(home, 'its database is gone or empty')
  if (witness.open && !log) {
    return lacking(home, 'its server did not stop in order, and the log with the last writes (bridlewise.db-wal) is gone')
  }
  return ok('there')
}

/** Asks the database for the ledger entry that the witness names. Refuses: data_incomplete. */
export function requireHead(home: string, database: Pick<Database, 'prepare'>): Result<'there'> {
  const witness = readWitness(home)
  if (witness === null || witness.seq === 0) return ok('there')
  if (findHash(database, witness.seq) === witness.hash) return ok('there')
  return lacking(home, `entry ${witness.seq} of its ledger is not the recorded one; an older or another database may lie there`)
}

function isEmpty(path: string): boolean {
  return !existsSync(path) || statSync(path).size === 0
}

function findHash(database: Pick<Database, 'prepare'>, seq: number): string | null {
  try {
    return database.prepare<[number], { hash: string }>('SELECT hash FROM beats WHERE seq = ?').get(seq)?.hash ?? null
  } catch (error) {
    // A database without the table has not seen the entry either.
    if (sqliteCode(error) === 'SQLITE_ERROR') return null
    throw error
  }
}

function lacking(home: string, problem: string) {
  return refuse('data_incomplete', { path: home, problem, witness: join(home, witnessName) })
}
