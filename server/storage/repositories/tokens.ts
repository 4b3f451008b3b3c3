/** Access tokens for scripts: named, hashed, revocable, good for all blocks or for some. */

import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

export interface TokenRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** Ids of the blocks that it may call; null for all. */
  readonly blocks: readonly string[] | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export type TokenDraft = Pick<TokenRecord, 'id' | 'name' | 'blocks' | 'createdAt'> & { readonly hash: Buffer }

export interface Tokens {
  create(owner: Owner, token: TokenDraft): void
  /** Revoked tokens are not found. */
  findByHash(hash: Buffer): TokenRecord | null
  markUsed(owner: Owner, tokenId: string, at: number): void
  list(owner: Owner): readonly TokenRecord[]
  /** True when a token of the owner was live and is not any more. */
  revoke(owner: Owner, tokenId: string, at: number): boolean
  revokeAll(owner: Owner, at: number): void
}

type Row = Omit<TokenRecord, 'blocks'> & { readonly blocks: string | null }

const columns = 'id, userId, name, blocks, createdAt, lastUsedAt'

export function createTokens({ database }: StoreContext): Tokens {
  const insert = database.prepare<[string, string, string, Buffer, string | null, number]>(
    'INSERT INTO access_tokens (id, userId, name, hash, blocks, createdAt) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const byHash = database.prepare<[Buffer], Row>(`SELECT ${columns} FROM access_tokens WHERE hash = ? AND revokedAt IS NULL`)
  const markUsed = database.prepare<[number, string, string]>(
    'UPDATE access_tokens SET lastUsedAt = ? WHERE id = ? AND userId = ?',
  )
  const list = database.prepare<[string], Row>(
    `SELECT ${columns} FROM access_tokens WHERE userId = ? AND revokedAt IS NULL ORDER BY createdAt, id`,
  )
  const revoke = database.prepare<[number, string, string]>(
    'UPDATE access_tokens SET revokedAt = ? WHERE id = ? AND userId = ? AND revokedAt IS NULL',
  )
  const revokeAll = database.prepare<[number, string]>(
    'UPDATE access_tokens SET revokedAt = ? WHERE userId = ? AND revokedAt IS NULL',
  )

  return {
    create(owner, { id, name, hash, blocks, createdAt }) {
      insert.run(id, owner.userId, name, hash, blocks === null ? null : JSON.stringify(blocks), createdAt)
    },
    findByHash(hash) {
      const row = byHash.get(hash)
      return row === undefined ? null : toToken(row)
    },
    markUsed: (owner, tokenId, at) => void markUsed.run(at, tokenId, owner.userId),
    list: (owner) => list.all(owner.userId).map(toToken),
    revoke: (owner, tokenId, at) => revoke.run(at, tokenId, owner.userId) === 1,
    revokeAll: (owner, at) => void revokeAll.run(at, owner.userId),
  }
}

function toToken(row: Row): TokenRecord {
  return { ...row, blocks: row.blocks === null ? null : (JSON.parse(row.blocks) as string[]) }
}
