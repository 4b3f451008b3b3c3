import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf, nextOutput, numberMark, pageInput, runSchema, timeMark } from '../wire/index.ts'

export const chatSchema = z.object({
  id: idOf('chat'),
  title: z.string(),
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
      output: z.object({ chat: chatSchema, messages: z.array(messageSchema), runs: z.array(runSchema), next: nextOutput }),
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
