/** Tables of changed files: their contents, changes under way, and the rewinds of chats. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { id, sealed, time } from './columns.ts'
import { chats } from './work.ts'

/** Without a reference to its chat, as all that there may be much of: `remains` names what is to go. */
export const versions = sqliteTable(
  'versions',
  {
    id: id().primaryKey(),
    userId: id().notNull(),
    chatId: id().notNull(),
    /** A keyed digest of the content, which finds it and tells nobody what it is. */
    name: text().notNull(),
    bytes: integer().notNull(),
    content: sealed().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [
    uniqueIndex('versions_once').on(table.chatId, table.name),
    index('versions_by_age').on(table.userId, table.createdAt, table.bytes),
  ],
)

export const rewinds = sqliteTable(
  'rewinds',
  {
    id: id().primaryKey(),
    userId: id().notNull(),
    chatId: id()
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    mode: text({ enum: ['conversation', 'files', 'both'] }),
    /** Its entry in the ledger; null while its files are being put back. */
    seq: integer(),
    to: integer(),
    retracts: integer({ mode: 'boolean' }),
    restored: integer(),
    removed: integer(),
    kept: integer(),
    /** What is needed after a crash, as long as one may come. */
    journal: sealed(),
    at: time().notNull(),
  },
  (table) => [
    index('rewinds_by_chat').on(table.chatId, table.seq),
    index('rewinds_unfinished').on(table.id).where(sql`journal is not null`),
  ],
)

/** Edits of runs whose files are being changed. What stands here at a start was interrupted. */
export const changes = sqliteTable('changes', {
  id: id().primaryKey(),
  userId: id().notNull(),
  chatId: id()
    .notNull()
    .references(() => chats.id, { onDelete: 'cascade' }),
  runId: id().notNull(),
  journal: sealed().notNull(),
})
