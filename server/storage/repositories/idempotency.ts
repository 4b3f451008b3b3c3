/** The first answer to a request that carried an `Idempotency-Key`, to be given again. */

import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { idempotency } from '../schema/work.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

/** How long an answer is kept for a repeated request, in milliseconds. */
export const replyKeptMs = 2 * 24 * 60 * 60 * 1000

export interface IdempotencyKey {
  readonly operation: string
  readonly key: string
}

/** What is known about a key: nothing, an answer, a request under way, or another request. */
export type IdempotencyState =
  | { readonly kind: 'new' }
  | { readonly kind: 'answered'; readonly reply: string }
  | { readonly kind: 'pending' }
  | { readonly kind: 'reused' }

export interface Idempotency {
  /**
   * Look a key up and take it when it is free.
   *
   * Contract: `new` is given once; the caller then ends with `finish` or `release`. `digest` is
   * over the request: the same key with another one is `reused`. A key taken by a boot that died
   * before it answered is `new` again; a run's own key column keeps that from starting a second run.
   */
  begin(owner: Owner, key: IdempotencyKey, request: { readonly digest: string; readonly at: number }): IdempotencyState
  /** `reply` is what the caller wants back, as text. */
  finish(owner: Owner, key: IdempotencyKey, reply: string): void
  /** The request was refused or broke: the key is free again. */
  release(owner: Owner, key: IdempotencyKey): void
  removeBefore(at: number): void
}

export const keptReply: SealedColumn = {
  table: 'idempotency',
  column: 'reply',
  row: 'key',
  parent: 'operation',
  owner: 'userId',
}

type Row = typeof idempotency.$inferSelect

export function createIdempotency({ database, seal, bootId }: StoreContext): Idempotency {
  const find = database.prepare<[string, string, string], Row>(
    'SELECT * FROM idempotency WHERE userId = ? AND operation = ? AND key = ?',
  )
  const take = database.prepare<[string, string, string, string, string, number]>(
    'INSERT OR REPLACE INTO idempotency (userId, operation, key, digest, bootId, createdAt) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const finish = database.prepare<[Buffer, string, string, string]>(
    'UPDATE idempotency SET reply = ? WHERE userId = ? AND operation = ? AND key = ?',
  )
  const release = database.prepare<[string, string, string]>(
    'DELETE FROM idempotency WHERE userId = ? AND operation = ? AND key = ? AND reply IS NULL',
  )
  const removeBefore = database.prepare<[number]>('DELETE FROM idempotency WHERE createdAt < ?')

  return {
    begin: (owner, { operation, key }, { digest, at }) =>
      database.transaction((): IdempotencyState => {
        const row = find.get(owner.userId, operation, key)
        const abandoned = row !== undefined && row.reply === null && row.bootId !== bootId
        if (row === undefined || abandoned) {
          take.run(owner.userId, operation, key, digest, bootId, at)
          return { kind: 'new' }
        }
        if (row.digest !== digest) return { kind: 'reused' }
        if (row.reply === null) return { kind: 'pending' }
        return { kind: 'answered', reply: seal.open(cellOf(owner, { operation, key }), row.reply) }
      }),
    finish(owner, id, reply) {
      finish.run(seal.seal(cellOf(owner, id), reply), owner.userId, id.operation, id.key)
    },
    release: (owner, { operation, key }) => void release.run(owner.userId, operation, key),
    removeBefore: (at) => void removeBefore.run(at),
  }
}

function cellOf(owner: Owner, { operation, key }: IdempotencyKey): Cell {
  return cellIn(keptReply, { row: key, parent: operation, owner: owner.userId })
}
