/** Access tokens for scripts: named, hashed, revocable. */
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
