/** Tables of what requests came to. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './accounts.ts'
import { id, time } from './columns.ts'

/**
 * The charges of the ledger's responses, as numbers. Deliberately without a reference to chat, run or
 * project: what was spent stays spent, and no ceiling is refilled by deleting what filled it.
 */
export const charges = sqliteTable(
  'charges',
  {
    number: integer().primaryKey(),
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    at: time().notNull(),
    runId: id().notNull(),
    chatId: id().notNull(),
    projectId: id(),
    modelId: text().notNull(),
    inputTokens: integer().notNull(),
    cachedTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Billionths of a US dollar; null where no price was known. */
    nanos: integer(),
    estimated: integer({ mode: 'boolean' }).notNull(),
    ms: integer().notNull(),
  },
  (table) => [
    index('charges_by_day').on(table.userId, table.at),
    index('charges_by_run').on(table.runId),
    index('charges_by_chat').on(table.chatId),
    index('charges_by_project').on(table.projectId),
  ],
)
