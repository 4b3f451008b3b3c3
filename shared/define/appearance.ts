/** How a block shows itself where no view was written for it: tables, actions, downloads, settings, signals. */

/** How a value reads. `state` gets an icon and a tone; `mono` is for paths, hashes and ids. */
export type Format = 'text' | 'mono' | 'number' | 'bytes' | 'duration' | 'time' | 'state' | 'flag' | 'list'

export interface Column {
  readonly field: string
  readonly title: string
  readonly format: Format
}

/** Rows that a query of the block returns under `rows`. */
export interface Table {
  readonly id: string
  readonly title: string
  readonly operation: string
  readonly rows: string
  readonly key: string
  readonly columns: readonly Column[]
  /** Said when there are no rows: what the place is for. */
  readonly empty: string
}

/**
 * A button. `row` actions fill inputs from the row they stand on (`fill: { projectId: 'id' }`);
 * what is not filled becomes a form field. `confirm` names what will be done, with `{field}` places.
 */
export interface Action {
  readonly id: string
  readonly title: string
  readonly operation: string
  readonly on: 'block' | 'row'
  /** The table that it stands at; the first one unless given. */
  readonly table?: string
  readonly fill?: Readonly<Record<string, string>>
  readonly confirm?: string
}

/** A form over one query that reads the values and one command that takes them all back. */
export interface Settings {
  readonly read: string
  readonly write: string
  /** The key of the read reply that holds the values. */
  readonly values: string
}

/** A file that is made of a text in a query's reply, both named by dotted paths. */
export interface Download {
  readonly id: string
  readonly title: string
  readonly operation: string
  readonly at: string
  /** What is said of it once it is made. */
  readonly says: string
  /** What the file is called. */
  readonly name: string
}

/** One live value, read from a query's reply by a dotted path. */
export interface Signal {
  readonly id: string
  readonly title: string
  readonly operation: string
  readonly at: string
  readonly format: Format
}
