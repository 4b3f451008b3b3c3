import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import {
  fileDiffSchema,
  filePlanSchema,
  idOf,
  nextOutput,
  numberMark,
  pageInput,
  rewindMarkSchema,
  rewindModeSchema,
  runSchema,
  timeMark,
} from '../wire/index.ts'

export const chatSchema = z.object({
  id: idOf('chat'),
  title: z.string(),
  /** `words`: the first of what was asked; `given`: a person's, or that of the chat it was forked from; `model`: thought up. */
  titleFrom: z.enum(['words', 'given', 'model']),
  projectId: idOf('project').nullable(),
  /** The run that is active, if one is. */
  activeRunId: idOf('run').nullable(),
  turns: z.number().int(),
  createdAt: z.number().int(),
  updatedAt: z.number().int(),
})
export type Chat = z.infer<typeof chatSchema>

export const messageSchema = z.object({
  id: idOf('message'),
  chatId: idOf('chat'),
  runId: idOf('run'),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  createdAt: z.number().int(),
})
export type Message = z.infer<typeof messageSchema>

const chatId = z.string().min(1).max(64)
/** A run of the chat, or an earlier rewind of it: what it is gone back to before. */
const target = z.string().min(1).max(64)
const path = z.string().min(1).max(4096)

export const chat = defineBlock({
  id: 'chat',
  title: 'Chats',
  about: 'Conversations, each with its runs. A chat may belong to a project.',
  surface: 'view',
  operations: {
    create: command({
      path: '/create',
      title: 'Start a chat',
      status: 201,
      idempotency: 'key',
      input: z.strictObject({
        title: z.string().trim().min(1).max(200).optional(),
        projectId: z.string().min(1).max(64).optional(),
      }),
      output: z.object({ chat: chatSchema }),
      refusals: ['thing_unknown'],
    }),
    list: query({
      path: '/list',
      title: 'List chats, newest first',
      input: z.strictObject(pageInput(timeMark('chat'))),
      output: z.object({ chats: z.array(chatSchema), next: nextOutput }),
    }),
    get: query({
      path: '/:chatId',
      title: 'Read a chat with its messages and runs, newest turns last',
      access: 'owner',
      input: z.strictObject({ chatId, ...pageInput(numberMark) }),
      output: z.object({
        chat: chatSchema,
        messages: z.array(messageSchema),
        /** Of a fork also the runs that it took its past from, as long as their chat is there. */
        runs: z.array(runSchema),
        /** All of the chat, oldest first. */
        rewinds: z.array(rewindMarkSchema),
        /** Which of these runs are taken back, and by which rewind. */
        retracted: z.array(z.object({ runId: idOf('run'), by: idOf('rewind') })),
        next: nextOutput,
      }),
      refusals: ['thing_unknown'],
    }),
    rename: command({
      path: '/:chatId/rename',
      title: 'Rename a chat',
      access: 'owner',
      input: z.strictObject({ chatId, title: z.string().trim().min(1).max(200) }),
      output: z.object({ chat: chatSchema }),
      refusals: ['thing_unknown'],
    }),
    remove: command({
      path: '/:chatId/remove',
      title: 'Delete a chat and its contents',
      access: 'owner',
      input: z.strictObject({ chatId }),
      output: z.object({}),
      refusals: ['thing_unknown', 'chat_busy'],
    }),
    export: query({
      path: '/:chatId/export',
      title: 'Write a chat as a text to hand on',
      access: 'owner',
      rate: 'costly',
      input: z.strictObject({ chatId }),
      output: z.object({
        /** Markdown: what was said, and under it what was done. */
        text: z.string(),
        /** Places where a secret, or what your rules name, was replaced. */
        replaced: z.number().int(),
        /** Whether later entries are left out, because the text grew too long. */
        cut: z.boolean(),
      }),
      refusals: ['thing_unknown', 'redaction_failed'],
    }),
    fork: command({
      path: '/:chatId/fork',
      title: 'Begin a new chat with the past of this one',
      access: 'owner',
      status: 201,
      idempotency: 'key',
      input: z.strictObject({
        chatId,
        /** The last message that comes along; all that stand unless said. */
        upTo: z.string().min(1).max(64).optional(),
      }),
      output: z.object({ chat: chatSchema }),
      refusals: ['thing_unknown', 'storage_full'],
    }),
    previewRewind: query({
      path: '/:chatId/previewRewind',
      title: 'See what going back would do to each file',
      access: 'owner',
      rate: 'normal',
      input: z.strictObject({ chatId, target }),
      output: z.object({
        turns: z.number().int(),
        files: z.array(filePlanSchema),
        /** Commands whose effects on files were looked for in part, or not at all. */
        unwatched: z.array(z.string()),
      }),
      refusals: ['thing_unknown', 'project_needed', 'project_missing', 'project_unshared'],
    }),
    compareRewind: query({
      path: '/:chatId/compareRewind',
      title: 'See one file before the run, after it, and now',
      access: 'owner',
      input: z.strictObject({ chatId, target, path }),
      output: z.object({
        /** Null where one of the two contents is not there or is not text. */
        run: fileDiffSchema.nullable(),
        since: fileDiffSchema.nullable(),
        back: fileDiffSchema.nullable(),
      }),
      refusals: ['thing_unknown', 'project_needed', 'project_missing', 'project_unshared'],
    }),
    rewind: command({
      path: '/:chatId/rewind',
      title: 'Go back to before a turn',
      access: 'owner',
      idempotency: 'key',
      bodyLimit: 1024 * 1024,
      input: z.strictObject({
        chatId,
        target,
        mode: rewindModeSchema,
        /** Conflicts that are to be put back all the same, each as it was seen. */
        decided: z
          .array(z.strictObject({ path, seen: z.string().max(64).nullable() }))
          .max(1000)
          .default([]),
      }),
      output: z.object({ rewind: rewindMarkSchema, files: z.array(filePlanSchema) }),
      refusals: [
        'thing_unknown',
        'chat_busy',
        'project_busy',
        'project_needed',
        'project_missing',
        'project_unshared',
        'capability_denied',
        'rewind_empty',
        'stale_file',
        'file_exists',
        'write_failed',
        'path_missing',
        'path_is_link',
        'path_wrong_kind',
        'path_unreadable',
        'storage_full',
      ],
    }),
  },
  tables: [
    {
      id: 'chats',
      title: 'Chats',
      operation: 'list',
      rows: 'chats',
      key: 'id',
      empty: 'A chat holds a piece of work. Ask for something to start one.',
      columns: [
        { field: 'title', title: 'Title', format: 'text' },
        { field: 'turns', title: 'Turns', format: 'number' },
        { field: 'updatedAt', title: 'Last', format: 'time' },
      ],
    },
  ],
})
