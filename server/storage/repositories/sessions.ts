/** Browser sessions. The database holds SHA-256 of the cookie and of the header token, never either. */

import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'

export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly cookieHash: Buffer
  readonly tokenHash: Buffer
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly expiresAt: number
}

export interface Sessions {
  create(session: SessionRecord): void
  findByCookieHash(hash: Buffer): SessionRecord | null
  markUsed(owner: Owner, sessionId: string, at: number): void
  /** Those that have not expired, newest first. */
  list(owner: Owner, now: number): readonly SessionRecord[]
  /** True when the owner had such a session. */
  remove(owner: Owner, sessionId: string): boolean
  /** Every session of the owner but the one named; all of them when none is. Gives how many there were. */
  removeOthers(owner: Owner, kept: string | null): number
  removeExpired(now: number): void
}

export function createSessions({ database }: StoreContext): Sessions {
  const insert = database.prepare<[string, string, Buffer, Buffer, number, number | null, number]>(
    'INSERT INTO sessions (id, userId, cookieHash, tokenHash, createdAt, lastUsedAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const byCookie = database.prepare<[Buffer], SessionRecord>('SELECT * FROM sessions WHERE cookieHash = ?')
  const markUsed = database.prepare<[number, string, string]>('UPDATE sessions SET lastUsedAt = ? WHERE id = ? AND userId = ?')
  const list = database.prepare<[string, number], SessionRecord>(
    'SELECT * FROM sessions WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC, id DESC',
  )
  const remove = database.prepare<[string, string]>('DELETE FROM sessions WHERE id = ? AND userId = ?')
  const removeOthers = database.prepare<[string, string]>('DELETE FROM sessions WHERE userId = ? AND id <> ?')
  const removeExpired = database.prepare<[number]>('DELETE FROM sessions WHERE expiresAt <= ?')

  return {
    create({ id, userId, cookieHash, tokenHash, createdAt, lastUsedAt, expiresAt }) {
      insert.run(id, userId, cookieHash, tokenHash, createdAt, lastUsedAt, expiresAt)
    },
    findByCookieHash: (hash) => byCookie.get(hash) ?? null,
    markUsed: (owner, sessionId, at) => void markUsed.run(at, sessionId, owner.userId),
    list: (owner, now) => list.all(owner.userId, now),
    remove: (owner, sessionId) => remove.run(sessionId, owner.userId) === 1,
    removeOthers: (owner, kept) => removeOthers.run(owner.userId, kept ?? ''),
    removeExpired: (now) => void removeExpired.run(now),
  }
}
