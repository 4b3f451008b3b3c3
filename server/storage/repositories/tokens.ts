/** Access tokens for scripts: named, hashed, revocable. */

import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

export interface TokenRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface Tokens {
  create(owner: Owner, token: { id: string; name: string; hash: Buffer; createdAt: number }): void
  /** Revoked tokens are not found. */
  findByHash(hash: Buffer): TokenRecord | null
  markUsed(owner: Owner, tokenId: string, at: number): void
  list(owner: Owner): readonly TokenRecord[]
  /** True when a token of the owner was live and is not any more. */
  revoke(owner: Owner, tokenId: string, at: number): boolean
}

const columns = 'id, userId, name, createdAt, lastUsedAt'

export function createTokens({ database }: StoreContext): Tokens {
  const insert = database.prepare<[string, string, string, Buffer, number]>(
    'INSERT INTO access_tokens (id, userId, name, hash, createdAt) VALUES (?, ?, ?, ?, ?)',
  )
  const byHash = database.prepare<[Buffer], TokenRecord>(
    `SELECT ${columns} FROM access_tokens WHERE hash = ? AND revokedAt IS NULL`,
  )
  const markUsed = database.prepare<[number, string, string]>(
    'UPDATE access_tokens SET lastUsedAt = ? WHERE id = ? AND userId = ?',
  )
  const list = database.prepare<[string], TokenRecord>(
    `SELECT ${columns} FROM access_tokens WHERE userId = ? AND revokedAt IS NULL ORDER BY createdAt, id`,
  )
  const revoke = database.prepare<[number, string, string]>(
    'UPDATE access_tokens SET revokedAt = ? WHERE id = ? AND userId = ? AND revokedAt IS NULL',
  )

  return {
    create: (owner, token) => void insert.run(token.id, owner.userId, token.name, token.hash, token.createdAt),
    findByHash: (hash) => byHash.get(hash) ?? null,
    markUsed: (owner, tokenId, at) => void markUsed.run(at, tokenId, owner.userId),
    list: (owner) => list.all(owner.userId),
    revoke: (owner, tokenId, at) => revoke.run(at, tokenId, owner.userId) === 1,
  }
}
