/** Tables of execution: runs, who executes them, what they streamed and produced. */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './accounts.ts'
import { id, sealed, time } from './columns.ts'
import { chats, projects } from './work.ts'

export const runs = sqliteTable(
  'runs',
  {
    id: id().primaryKey(),
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    chatId: id()
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    projectId: id().references(() => projects.id, { onDelete: 'set null' }),
    status: text({ enum: ['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted'] }).notNull(),
    mode: text({ enum: ['act', 'plan'] }).notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    modelLabel: text().notNull(),
    fixture: integer({ mode: 'boolean' }).notNull(),
    idempotencyKey: text(),
    /** Names the server that took the run in; with `status`, what recovery goes by. */
    bootId: text().notNull(),
    outcome: sealed(),
    createdAt: time().notNull(),
    startedAt: time(),
    endedAt: time(),
    /** Of the sealed frames of an ended run; null until they were counted. */
    frameBytes: integer(),
    /** When retention removed them. */
    framesRemovedAt: time(),
  },
  (table) => [
    uniqueIndex('runs_once').on(table.userId, table.idempotencyKey),
    index('runs_by_chat').on(table.chatId, table.id),
    index('runs_by_user').on(table.userId, table.id),
    index('runs_by_project').on(table.projectId),
    index('runs_active').on(table.userId).where(sql`status in ('queued', 'running')`),
    index('runs_by_stream')
      .on(table.userId, table.endedAt, table.frameBytes)
      .where(sql`framesRemovedAt is null and frameBytes > 0`),
    index('runs_uncounted').on(table.id).where(sql`frameBytes is null and endedAt is not null`),
  ],
)

/** The claim. One row a run, for ever. */
export const runExecutions = sqliteTable('run_executions', {
  runId: id()
    .primaryKey()
    .references(() => runs.id, { onDelete: 'cascade' }),
  pid: integer().notNull(),
  bootId: text().notNull(),
  claimedAt: time().notNull(),
  leaseUntil: time().notNull(),
  endedAt: time(),
})

export const writerLeases = sqliteTable('writer_leases', {
  root: text().primaryKey(),
  /** The directories above it, up to the root of the machine, each with a space before and after it. */
  above: text().notNull().default(''),
  runId: id().notNull(),
  bootId: text().notNull(),
  takenAt: time().notNull(),
})

/** Words of a person that no run has yet: to steer the one that is active, or to follow it. */
export const waitingMessages = sqliteTable(
  'waiting_messages',
  {
    /** The order in which they were written. */
    number: integer().primaryKey(),
    id: id().notNull().unique(),
    userId: id().notNull(),
    chatId: id()
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    /** The run that was active when they were written. */
    runId: id().notNull(),
    delivery: text({ enum: ['steer', 'queue'] }).notNull(),
    mode: text({ enum: ['act', 'plan'] }).notNull(),
    providerId: text(),
    modelId: text(),
    text: sealed().notNull(),
    /** Why it does not start by itself any more. */
    held: text({ enum: ['cancelled', 'failed', 'interrupted', 'refused'] }),
    createdAt: time().notNull(),
  },
  (table) => [index('waiting_messages_by_chat').on(table.chatId, table.number)],
)

/** Without a reference to its run, as all that there is much of: it would go in one stroke. `remains` names what is to go. */
export const frames = sqliteTable(
  'frames',
  {
    runId: id().notNull(),
    number: integer().notNull(),
    kind: text().notNull(),
    data: sealed().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.number] })],
)

export const blobs = sqliteTable(
  'blobs',
  {
    id: id().primaryKey(),
    userId: id().notNull(),
    runId: id().notNull(),
    bytes: integer().notNull(),
    content: sealed().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index('blobs_by_run').on(table.runId), index('blobs_by_age').on(table.userId, table.createdAt, table.bytes)],
)
