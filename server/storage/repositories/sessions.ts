/** Browser sessions. The database holds SHA-256 of the cookie and of the header token, never either. */
import type { Owner } from '../pages.ts'

export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly cookieHash: Buffer
  readonly tokenHash: Buffer
  readonly createdAt: number
  readonly expiresAt: number
}

export interface Sessions {
  create(session: SessionRecord): void
  findByCookieHash(hash: Buffer): SessionRecord | null
  remove(owner: Owner, sessionId: string): void
  removeExpired(now: number): void
}
