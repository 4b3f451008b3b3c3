/** Browser sessions. The database holds SHA-256 of the cookie and of the header token, never either. */

import type { StoreContext } from '../context.ts'
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

export function createSessions({ database }: StoreContext): Sessions {
  const insert = database.prepare<[string, string, Buffer, Buffer, number, number]>(
    'INSERT INTO sessions (id, userId, cookieHash, tokenHash, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const byCookie = database.prepare<[Buffer], SessionRecord>('SELECT * FROM sessions WHERE cookieHash = ?')
  const remove = database.prepare<[string, string]>('DELETE FROM sessions WHERE id = ? AND userId = ?')
  const removeExpired = database.prepare<[number]>('DELETE FROM sessions WHERE expiresAt <= ?')

  return {
    create({ id, userId, cookieHash, tokenHash, createdAt, expiresAt }) {
      insert.run(id, userId, cookieHash, tokenHash, createdAt, expiresAt)
    },
    findByCookieHash: (hash) => byCookie.get(hash) ?? null,
    remove: (owner, sessionId) => void remove.run(sessionId, owner.userId),
    removeExpired: (now) => void removeExpired.run(now),
  }
}
