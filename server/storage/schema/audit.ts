/** The table of security events: what was refused at the door, who signed in, what was revoked. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, sealed, time } from './columns.ts'

/** Deliberately without a reference to `users`: what an account did outlives the account. */
export const securityEvents = sqliteTable(
  'security_events',
  {
    /** Order; never given twice. */
    number: integer().primaryKey(),
    kind: text().notNull(),
    /** The minute that the row stands for, in milliseconds since 1970. */
    minute: time().notNull(),
    userId: id(),
    /** Where it came from, how often, and when. */
    detail: sealed().notNull(),
  },
  (table) => [index('security_events_by_kind').on(table.kind, table.number)],
)
