import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf } from '../wire/index.ts'
import { userSchema } from './account.ts'

/** The lesser one first: forms begin with it. */
const role = z.enum(['member', 'admin'])
const userId = z.string().min(1).max(64)
/** Handed over once; only its hash is kept. */
const madeCode = { code: z.string(), expiresAt: z.number().int() }

export const user = defineBlock({
  id: 'user',
  title: 'People',
  about: 'Who has an account here. Each has projects, chats, providers and sessions of their own, which nobody else sees.',
  operations: {
    list: query({
      path: '/list',
      title: 'List the people who have an account',
      access: 'admin',
      input: z.strictObject({}),
      output: z.object({ users: z.array(userSchema) }),
    }),
    setRole: command({
      path: '/:userId/setRole',
      title: 'Make somebody an administrator or a member',
      access: 'admin',
      input: z.strictObject({ userId, role }),
      output: z.object({ user: userSchema }),
      refusals: ['session_needed', 'thing_unknown', 'last_admin'],
    }),
    remove: command({
      path: '/:userId/remove',
      title: 'Remove somebody with everything that is theirs',
      access: 'admin',
      input: z.strictObject({ userId }),
      output: z.object({}),
      refusals: ['session_needed', 'thing_unknown', 'last_admin', 'user_busy'],
    }),
    makeReset: command({
      path: '/:userId/makeReset',
      title: 'Make a one-time code with which somebody sets a new password',
      access: 'admin',
      status: 201,
      idempotency: 'once',
      input: z.strictObject({ userId }),
      output: z.object({ reset: z.object({ username: z.string(), ...madeCode }) }),
      refusals: ['session_needed', 'thing_unknown'],
    }),
    invite: command({
      path: '/invite',
      title: 'Make a one-time code with which somebody creates an account',
      access: 'admin',
      status: 201,
      idempotency: 'once',
      input: z.strictObject({ role: role.default('member') }),
      output: z.object({ invite: z.object({ role, ...madeCode }) }),
      refusals: ['session_needed'],
    }),
    listInvites: query({
      path: '/invite/list',
      title: 'List invites that nobody has used',
      access: 'admin',
      input: z.strictObject({}),
      output: z.object({
        invites: z.array(
          z.object({
            id: idOf('code'),
            role,
            madeBy: z.string(),
            createdAt: z.number().int(),
            expiresAt: z.number().int(),
          }),
        ),
      }),
    }),
    withdrawInvite: command({
      path: '/invite/:codeId/withdraw',
      title: 'Withdraw an invite',
      access: 'admin',
      input: z.strictObject({ codeId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['session_needed', 'thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'users',
      title: 'People',
      operation: 'list',
      rows: 'users',
      key: 'id',
      empty: 'Nobody has an account.',
      columns: [
        { field: 'username', title: 'Name', format: 'text' },
        { field: 'role', title: 'Role', format: 'text' },
        { field: 'createdAt', title: 'Joined', format: 'time' },
      ],
    },
    {
      id: 'invites',
      title: 'Open invites',
      operation: 'listInvites',
      rows: 'invites',
      key: 'id',
      empty: 'An invite is a code that lets one person create one account within three days. None is open.',
      columns: [
        { field: 'role', title: 'Role', format: 'text' },
        { field: 'madeBy', title: 'Made by', format: 'text' },
        { field: 'createdAt', title: 'Made', format: 'time' },
        { field: 'expiresAt', title: 'Expires', format: 'time' },
      ],
    },
  ],
  actions: [
    { id: 'invite', title: 'Invite somebody', operation: 'invite', on: 'block', table: 'users' },
    {
      id: 'setRole',
      title: 'Change role',
      operation: 'setRole',
      on: 'row',
      table: 'users',
      fill: { userId: 'id' },
      confirm: 'Change the role of {username}? It counts from the next call on, and their open streams end and come back.',
    },
    {
      id: 'makeReset',
      title: 'Reset password',
      operation: 'makeReset',
      on: 'row',
      table: 'users',
      fill: { userId: 'id' },
      confirm:
        'Make a reset code for {username}? Their password works until they use the code; then every session and access token of theirs ends.',
    },
    {
      id: 'remove',
      title: 'Remove',
      operation: 'remove',
      on: 'row',
      table: 'users',
      fill: { userId: 'id' },
      confirm:
        'Remove {username}? Their runs are stopped, and their chats, projects, providers and settings are erased for good. Directories on this machine stay.',
    },
    {
      id: 'withdrawInvite',
      title: 'Withdraw',
      operation: 'withdrawInvite',
      on: 'row',
      table: 'invites',
      fill: { codeId: 'id' },
      confirm: 'Withdraw this invite? Its code stops working at once.',
    },
  ],
})
