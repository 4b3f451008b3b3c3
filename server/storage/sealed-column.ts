/** How a repository declares a sealed column: once, for the code that reads it and for the walk over all of them. */
import type { Cell } from './seal.ts'

/** `row`, `parent` and `owner` are SQL over a row of the table: what binds a value, for whoever has only the row. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly row: string
  /** Absent when the row hangs on nothing. */
  readonly parent?: string
  readonly owner: string
  /** True where a trigger lets rows go and never change: a new seal is then a new row in its place. */
  readonly replaced?: true
}

/** What binds one value, for whoever has it at hand. */
export type Binding = Pick<Cell, 'row' | 'owner'> & Partial<Pick<Cell, 'parent'>>

/** Contract: for one row the cell is the same as the declaration's SQL gives. */
export function cellIn({ table, column }: SealedColumn, { row, parent = '', owner }: Binding): Cell {
  return { table, column, row, parent, owner }
}
