/** Tables of what left for a model, and of what must not. Without references where there is much: `remains` names what goes. */
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './accounts.ts'
import { id, sealed, time } from './columns.ts'
import { projects } from './work.ts'

/** One row a request, written before it leaves. */
export const departures = sqliteTable(
  'departures',
  {
    /** Order of leaving. */
    number: integer().primaryKey(),
    id: id().notNull().unique(),
    userId: id().notNull(),
    /** Both null for a probe of a model. */
    chatId: id(),
    runId: id(),
    step: integer().notNull(),
    at: time().notNull(),
    manifest: sealed().notNull(),
  },
  (table) => [
    index('departures_by_run').on(table.runId, table.number),
    index('departures_by_chat').on(table.chatId),
    index('departures_of_probes').on(table.userId, table.number).where(sql`chatId is null`),
  ],
)

/** Texts as they left, each once a chat, however many requests held it. */
export const departedTexts = sqliteTable(
  'departed_texts',
  {
    number: integer().primaryKey(),
    userId: id().notNull(),
    chatId: id().notNull(),
    /** Names the text by a digest under a secret of this installation, so that nobody can test a guess on the file. */
    name: text().notNull(),
    content: sealed().notNull(),
  },
  (table) => [
    uniqueIndex('departed_texts_once').on(table.chatId, table.name),
    index('departed_texts_by_user').on(table.userId, table.number),
  ],
)

export const egressRules = sqliteTable(
  'egress_rules',
  {
    id: id().primaryKey(),
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null for a rule that holds in every project of its owner. */
    projectId: id().references(() => projects.id, { onDelete: 'cascade' }),
    rule: sealed().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index('egress_rules_by_user').on(table.userId), index('egress_rules_by_project').on(table.projectId)],
)
