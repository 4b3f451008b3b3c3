/** Tables of what goes: content that is unreachable and still has to be erased, what retention removed, and its bounds. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, time } from './columns.ts'
import { runs } from './runs.ts'

/**
 * Content that nothing leads to any more, erased in steps. Triggers write the rows of chats and runs,
 * so whatever deletes one, a cascade too, leaves nothing behind.
 */
export const remains = sqliteTable(
  'remains',
  {
    kind: text({ enum: ['chat', 'run', 'stream', 'result', 'version'] }).notNull(),
    id: id().notNull(),
    /** Of a chat: the ledger entry up to which its payloads are erased. */
    upTo: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/** Whole results that retention removed: what tells such a gap from a loss. */
export const removedResults = sqliteTable(
  'removed_results',
  {
    ref: id().primaryKey(),
    userId: id().notNull(),
    runId: id()
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    at: time().notNull(),
  },
  (table) => [index('removed_results_by_run').on(table.runId)],
)

/** What an administrator allows at most, by name; a name that is not there has its usual value. */
export const bounds = sqliteTable('bounds', {
  name: text().primaryKey(),
  value: integer().notNull(),
})
