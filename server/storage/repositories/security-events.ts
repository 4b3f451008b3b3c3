/** Security events: one row for each kind, person and place in a minute, with a count. */
import type { StoreContext } from '../context.ts'
import { StorageFault } from '../fault.ts'
import type { Page, PageRequest } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export interface SecurityEventRow {
  readonly number: number
  readonly kind: string
  readonly minute: number
  /** Who caused it, as far as known. */
  readonly userId: string | null
  readonly detail: SecurityEventDetail
}

export interface SecurityEventDetail {
  readonly address: string
  readonly method: string
  readonly path: string
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
}

/** A row as it is read: `detail` is null when its sealed part does not open. */
export type StoredSecurityEvent = Omit<SecurityEventRow, 'detail'> & { readonly detail: SecurityEventDetail | null }

export interface SecurityEvents {
  /** Contract: a number that no row has had; the next call gives the one after it. */
  nextNumber(): number
  /**
   * Write rows, or write those anew whose count has grown.
   *
   * Contract: when it resolves they are durable. Of each kind the newest `keep` rows stay, so that a
   * flood of one kind pushes out nothing of another; no row is older than `since`.
   */
  write(rows: readonly SecurityEventRow[], bounds: { readonly keep: number; readonly since: number }): Promise<void>
  /** Newest first. The rows belong to the server, not to an owner: whoever asks must be an administrator. */
  list(request: PageRequest): Page<StoredSecurityEvent>
}

/** Kind, minute and user are bound in, so that a row cannot be made to speak of another. */
export const securityEventDetail: SealedColumn = {
  table: 'security_events',
  column: 'detail',
  row: 'number',
  parent: "kind || ' ' || minute",
  owner: "coalesce(userId, '')",
}

export function createSecurityEvents({ database, seal }: StoreContext): SecurityEvents {
  const upsert = database.prepare<[number, string, number, string | null, Buffer]>(
    `INSERT INTO security_events (number, kind, minute, userId, detail) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (number) DO UPDATE SET detail = excluded.detail`,
  )
  const trim = database.prepare<[string, string, number]>(
    `DELETE FROM security_events WHERE kind = ? AND number <=
     (SELECT number FROM security_events WHERE kind = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
  )
  const expire = database.prepare<[number]>('DELETE FROM security_events WHERE minute < ?')
  const last = database.prepare<[], { number: number | null }>('SELECT max(number) AS number FROM security_events')
  const before = database.prepare<
    [number, number],
    { number: number; kind: string; minute: number; userId: string | null; detail: unknown }
  >('SELECT number, kind, minute, userId, detail FROM security_events WHERE number < ? ORDER BY number DESC LIMIT ?')
  let given = last.get()?.number ?? 0

  function read(row: Omit<SecurityEventRow, 'detail'> & { readonly detail: unknown }): StoredSecurityEvent {
    try {
      return { ...row, detail: JSON.parse(seal.open(cellOf(row), row.detail)) as SecurityEventDetail }
    } catch (error) {
      // One row changed from outside must not hide the others.
      if (error instanceof StorageFault && error.refusal.code === 'sealed_value_tampered') return { ...row, detail: null }
      throw error
    }
  }

  return {
    nextNumber() {
      given += 1
      return given
    },
    write: (rows, { keep, since }) =>
      database.enqueue(() => {
        for (const row of rows) {
          upsert.run(row.number, row.kind, row.minute, row.userId, seal.seal(cellOf(row), JSON.stringify(row.detail)))
        }
        for (const kind of new Set(rows.map((row) => row.kind))) trim.run(kind, kind, keep)
        expire.run(since)
      }),
    list({ after, limit }) {
      const from = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
      const rows = Number.isSafeInteger(from) ? before.all(from, limit + 1) : []
      const items = rows.slice(0, limit).map(read)
      const end = items.at(-1)
      return rows.length > limit && end ? { items, next: String(end.number) } : { items }
    },
  }
}

function cellOf({ number, kind, minute, userId }: Omit<SecurityEventRow, 'detail'>): Cell {
  return cellIn(securityEventDetail, { row: String(number), parent: `${kind} ${minute}`, owner: userId ?? '' })
}
