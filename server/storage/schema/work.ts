/** Tables of work: projects and who shares them, endpoints, conversations, and answers kept for a repeated request. */
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './accounts.ts'
import { id, sealed, time } from './columns.ts'

const owner = () =>
  id()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

export const projects = sqliteTable(
  'projects',
  {
    id: id().primaryKey(),
    userId: owner(),
    name: text().notNull(),
    path: text().notNull(),
    device: text().notNull(),
    inode: text().notNull(),
    demo: integer({ mode: 'boolean' }).notNull(),
    createdAt: time().notNull(),
  },
  // The pin is part of what is unique: a directory that was replaced can be added anew.
  (table) => [uniqueIndex('projects_once').on(table.userId, table.path, table.device, table.inode)],
)

/** With whom a project is shared. A name without an account behind it stays a name: its maker is not told which it is. */
export const projectShares = sqliteTable(
  'project_shares',
  {
    id: id().primaryKey(),
    projectId: id()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** As it was typed. */
    username: text().notNull(),
    /** As `users.nameKey` spells it. */
    nameKey: text().notNull(),
    /** Who had that name when it was shared; nobody who takes the name later. */
    userId: id().references(() => users.id, { onDelete: 'set null' }),
    createdAt: time().notNull(),
  },
  (table) => [
    uniqueIndex('project_shares_once').on(table.projectId, table.nameKey),
    index('project_shares_by_user').on(table.userId, table.projectId),
  ],
)

export const providers = sqliteTable(
  'providers',
  {
    id: id().primaryKey(),
    userId: owner(),
    name: text().notNull(),
    kind: text().notNull(),
    baseUrl: sealed().notNull(),
    apiKey: sealed(),
    /** A JSON list of model ids. */
    models: text().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index('providers_by_user').on(table.userId)],
)

export const chats = sqliteTable(
  'chats',
  {
    id: id().primaryKey(),
    userId: owner(),
    projectId: id().references(() => projects.id, { onDelete: 'set null' }),
    title: sealed().notNull(),
    /** `words`: the first of what was asked; `given`: a person's, or taken over from another chat; `model`: thought up. */
    titleFrom: text({ enum: ['words', 'given', 'model'] })
      .notNull()
      .default('words'),
    createdAt: time().notNull(),
    updatedAt: time().notNull(),
  },
  (table) => [index('chats_by_use').on(table.userId, table.updatedAt, table.id), index('chats_by_project').on(table.projectId)],
)

/** Which model does what, where somebody chose one. A row goes with its provider and with the place that it is about. */
export const modelRoles = sqliteTable(
  'model_roles',
  {
    userId: owner(),
    /** A chat, a project, or nothing: everywhere. */
    place: text().notNull(),
    role: text({ enum: ['main', 'small', 'embedding'] }).notNull(),
    providerId: id()
      .notNull()
      .references(() => providers.id, { onDelete: 'cascade' }),
    modelId: text().notNull(),
    projectId: id().references(() => projects.id, { onDelete: 'cascade' }),
    chatId: id().references(() => chats.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.place, table.role] }),
    index('model_roles_by_provider').on(table.providerId),
    index('model_roles_by_project').on(table.projectId),
    index('model_roles_by_chat').on(table.chatId),
  ],
)

export const messages = sqliteTable(
  'messages',
  {
    /** Order within the chat; ids of one millisecond have none. */
    number: integer().primaryKey(),
    id: id().notNull().unique(),
    userId: id().notNull(),
    /** Without a reference: `remains` names the chats whose messages are to go. */
    chatId: id().notNull(),
    runId: id().notNull(),
    role: text({ enum: ['user', 'assistant'] }).notNull(),
    text: sealed().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index('messages_by_chat').on(table.chatId)],
)

export const idempotency = sqliteTable(
  'idempotency',
  {
    userId: owner(),
    operation: text().notNull(),
    key: text().notNull(),
    digest: text().notNull(),
    bootId: text().notNull(),
    /** Null while the request is under way. */
    reply: sealed(),
    createdAt: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.operation, table.key] }),
    index('idempotency_by_age').on(table.createdAt),
  ],
)
