/** Tables of the ledger, and of the keys that the database needs. Triggers are in a migration of their own. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, sealed, time } from './columns.ts'

/** The chain. Rows are added at the end and never change; no foreign key may reach in and delete. */
export const beats = sqliteTable(
  'beats',
  {
    seq: integer().primaryKey(),
    id: id().notNull(),
    kind: text().notNull(),
    userId: id().notNull(),
    runId: id(),
    chatId: id(),
    at: time().notNull(),
    payloadDigest: text().notNull(),
    previous: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [
    index('beats_by_run').on(table.runId).where(sql`runId is not null`),
    index('beats_by_chat').on(table.chatId).where(sql`chatId is not null`),
  ],
)

/** Salt, source, derivation and payload of a beat, sealed together. May be deleted, never changed. */
export const beatPayloads = sqliteTable('beat_payloads', {
  seq: integer()
    .primaryKey()
    .references(() => beats.seq),
  sealed: sealed().notNull(),
})

/** Chats whose payloads were erased on request: what tells such a gap from a loss. */
export const erasures = sqliteTable('erasures', {
  chatId: id().primaryKey(),
  at: time().notNull(),
})

/** Keys that sealed values of this database may name. A listed key that is not in the key home stops the start. */
export const keys = sqliteTable('keys', {
  id: text().primaryKey(),
  createdAt: time().notNull(),
  /** No fewer values than were ever sealed with it: the cipher's bound is on these, not on what is still there. */
  seals: integer().notNull().default(0),
  /** When nothing named it any more. Its file may be gone from then on. */
  retiredAt: time(),
})
