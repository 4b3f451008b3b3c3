/** Walks every sealed value and seals anew what another key than the given one sealed. */
import type { Database } from './database.ts'
import { StorageFault } from './fault.ts'
import { markOf, type Seal } from './seal.ts'
import { cellIn, type SealedColumn } from './sealed-column.ts'
import { sealedColumns } from './sealed-columns.ts'

export interface Resealing {
  readonly database: Database
  /** Seals with `keyId`, and opens what any other key sealed. */
  readonly seal: Seal
  readonly keyId: string
  /** Rows in one commit. */
  readonly rowsAtOnce: number
}

export interface ResealTally {
  resealed: number
  /** Values that do not open in their place. They are left as they are. */
  unopened: number
}

interface Row {
  readonly at: number
  readonly value: unknown
  readonly row: string | number | null
  readonly parent: string | number | null
  readonly owner: string | null
}

/**
 * Yields the tally after each commit, so the caller can say how far it is, stop, or let others run.
 *
 * Contract: each value is at every moment sealed whole by one key or the other. What is done is seen
 * from the values themselves, so a walk that was cut off is continued by starting it again.
 */
export function* reseal(work: Resealing): Generator<ResealTally, ResealTally> {
  const tally = { resealed: 0, unopened: 0 }
  for (const column of sealedColumns) {
    const batch = prepareBatch(work, column)
    let last = Number.MIN_SAFE_INTEGER
    for (let rows = batch(last, tally); rows.length > 0; rows = batch(last, tally)) {
      last = rows.at(-1)?.at ?? last
      yield tally
    }
  }
  return tally
}

/** Whether any value of the schema names the key; asks the schema, not the list of sealed columns. */
export function isNamed(database: Database, keyId: string): boolean {
  const columns = database
    .prepare<[], { table: string; column: string }>(
      `SELECT tables.name AS "table", columns.name AS "column"
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND lower(columns.type) = 'blob'`,
    )
    .all()
  const mark = markOf(keyId)
  return columns.some(({ table, column }) => {
    const named = database.prepare<[number, Buffer], { n: number }>(
      `SELECT EXISTS (SELECT 1 FROM "${table}" WHERE substr("${column}", 1, ?) = ?) AS n`,
    )
    return named.get(mark.length, mark)?.n === 1
  })
}

function prepareBatch({ database, seal, keyId, rowsAtOnce }: Resealing, declared: SealedColumn) {
  const { table, column } = declared
  const mark = markOf(keyId)
  const after = database.prepare<[number, number, Buffer, number], Row>(
    `SELECT rowid AS at, ${column} AS value, ${declared.row} AS row, ${declared.parent ?? "''"} AS parent, ${declared.owner} AS owner
     FROM ${table} WHERE rowid > ? AND ${column} IS NOT NULL AND substr(${column}, 1, ?) IS NOT ? ORDER BY rowid LIMIT ?`,
  )
  const write = declared.replaced ? replaceRow(database, declared) : changeRow(database, declared)

  function move({ at, value, row, parent, owner }: Row): boolean {
    const cell = cellIn(declared, { row: String(row), parent: String(parent), owner: String(owner) })
    try {
      write(at, seal.seal(cell, seal.open(cell, value)))
      return true
    } catch (error) {
      if (error instanceof StorageFault && error.refusal.code === 'sealed_value_tampered') return false
      throw error
    }
  }

  return (last: number, tally: ResealTally): readonly Row[] =>
    database.transaction(() => {
      const rows = after.all(last, mark.length, mark, rowsAtOnce)
      const moved = rows.filter(move).length
      tally.resealed += moved
      tally.unopened += rows.length - moved
      return rows
    })
}

function changeRow(database: Database, { table, column }: SealedColumn) {
  const change = database.prepare<[Buffer, number]>(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`)
  return (at: number, value: Buffer) => void change.run(value, at)
}

/** For a table of nothing but its number and the value. */
function replaceRow(database: Database, { table, column }: SealedColumn) {
  const remove = database.prepare<[number]>(`DELETE FROM ${table} WHERE rowid = ?`)
  const insert = database.prepare<[number, Buffer]>(`INSERT INTO ${table} (rowid, ${column}) VALUES (?, ?)`)
  return (at: number, value: Buffer) => {
    remove.run(at)
    insert.run(at, value)
  }
}
