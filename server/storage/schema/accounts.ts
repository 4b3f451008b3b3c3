/** Tables of people: who there is, what they signed in with, what they chose and accepted. */
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, sealed, time } from './columns.ts'

export const users = sqliteTable('users', {
  id: id().primaryKey(),
  username: text().notNull(),
  /** The name in one spelling and case; what makes a name taken. */
  nameKey: text().notNull().unique(),
  role: text({ enum: ['admin', 'member'] }).notNull(),
  password: text().notNull(),
  createdAt: time().notNull(),
})

export const sessions = sqliteTable(
  'sessions',
  {
    id: id().primaryKey(),
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    cookieHash: blob({ mode: 'buffer' }).notNull().unique(),
    tokenHash: blob({ mode: 'buffer' }).notNull(),
    createdAt: time().notNull(),
    expiresAt: time().notNull(),
  },
  (table) => [index('sessions_by_expiry').on(table.expiresAt)],
)

export const accessTokens = sqliteTable(
  'access_tokens',
  {
    id: id().primaryKey(),
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: blob({ mode: 'buffer' }).notNull().unique(),
    createdAt: time().notNull(),
    lastUsedAt: time(),
    revokedAt: time(),
  },
  (table) => [index('access_tokens_by_user').on(table.userId)],
)

export const settings = sqliteTable(
  'settings',
  {
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    value: sealed().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
)

export const acceptances = sqliteTable('acceptances', {
  number: integer().primaryKey(),
  policyDigest: text().notNull(),
  acceptedBy: text().notNull(),
  acceptedAt: time().notNull(),
})
