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
  /** Counts changes of password and role. A stream that began under another number ends. */
  epoch: integer().notNull().default(0),
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
    lastUsedAt: time(),
    expiresAt: time().notNull(),
  },
  (table) => [index('sessions_by_expiry').on(table.expiresAt), index('sessions_by_user').on(table.userId)],
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
    /** A JSON list of block ids; null for all. */
    blocks: text(),
    createdAt: time().notNull(),
    lastUsedAt: time(),
    revokedAt: time(),
  },
  (table) => [index('access_tokens_by_user').on(table.userId)],
)

/** One-time codes that an administrator made. A used code is a deleted row; it goes with its maker and with its user. */
export const accountCodes = sqliteTable(
  'account_codes',
  {
    id: id().primaryKey(),
    kind: text({ enum: ['invite', 'reset'] }).notNull(),
    hash: blob({ mode: 'buffer' }).notNull().unique(),
    madeBy: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Of an invite: what the new account will be. */
    role: text({ enum: ['admin', 'member'] }),
    /** Of a reset: whose password. */
    userId: id().references(() => users.id, { onDelete: 'cascade' }),
    createdAt: time().notNull(),
    expiresAt: time().notNull(),
  },
  (table) => [index('account_codes_by_maker').on(table.madeBy), index('account_codes_by_user').on(table.userId)],
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

/** What the installation remembers for itself, of nobody in particular. */
export const installation = sqliteTable('installation', {
  name: text().primaryKey(),
  value: sealed().notNull(),
})

export const acceptances = sqliteTable('acceptances', {
  number: integer().primaryKey(),
  policyDigest: text().notNull(),
  acceptedBy: text().notNull(),
  acceptedAt: time().notNull(),
})
