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
  },
  (table) => [
    uniqueIndex('runs_once').on(table.userId, table.idempotencyKey),
    index('runs_by_chat').on(table.chatId, table.id),
    index('runs_by_user').on(table.userId, table.id),
    index('runs_by_project').on(table.projectId),
    index('runs_active').on(table.userId).where(sql`status in ('queued', 'running')`),
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
  runId: id().notNull(),
  bootId: text().notNull(),
  takenAt: time().notNull(),
})

export const frames = sqliteTable(
  'frames',
  {
    runId: id()
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
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
    userId: id()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    runId: id()
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    bytes: integer().notNull(),
    content: sealed().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index('blobs_by_run').on(table.runId)],
)
