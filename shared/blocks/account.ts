import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf } from '../wire/index.ts'

/** What a user name is made of. */
export const usernameInput = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}._@-]+$/u, 'letters, digits and . _ @ - only')
/** Half a character, a lone surrogate, has no bytes of its own: two such passwords would be one. */
const password = z
  .string()
  .min(1)
  .max(1024)
  .refine((given) => given.isWellFormed(), 'it holds half a character')
const code = z.string().min(1).max(128)
const blockIds = z.array(z.string().min(1).max(64)).min(1).max(64)

export const userSchema = z.object({
  id: idOf('user'),
  username: z.string(),
  role: z.enum(['admin', 'member']),
  createdAt: z.number().int(),
})
export type User = z.infer<typeof userSchema>

const signedIn = z.object({
  /** Goes into the `x-bridlewise-token` header of every later call; handed over once. */
  token: z.string(),
  /** Goes into the `x-bridlewise-device` header of later sign-ins, also after this session: wrong guesses of others slow it down no more. */
  device: z.string(),
  user: userSchema,
})

export const account = defineBlock({
  id: 'account',
  title: 'Account',
  about: 'Who you are here: the first account, signing in and out, and access tokens for scripts.',
  surface: 'view',
  operations: {
    status: query({
      path: '/status',
      title: 'Ask whether the setup is done',
      access: 'public',
      input: z.strictObject({}),
      output: z.object({ setupDone: z.boolean() }),
    }),
    setup: command({
      path: '/setup',
      title: 'Create the first account',
      access: 'public',
      rate: 'secret',
      status: 201,
      input: z.strictObject({ code, username: usernameInput, password }),
      output: signedIn,
      refusals: ['setup_done', 'setup_code_wrong', 'password_too_weak', 'hashing_busy'],
    }),
    login: command({
      path: '/login',
      title: 'Sign in',
      access: 'public',
      rate: 'secret',
      input: z.strictObject({ username: z.string().min(1).max(256), password }),
      output: signedIn,
      refusals: ['credentials_wrong', 'setup_required', 'password_delayed', 'hashing_busy'],
    }),
    acceptInvite: command({
      path: '/acceptInvite',
      title: 'Create an account with an invite code',
      access: 'public',
      rate: 'secret',
      status: 201,
      input: z.strictObject({ code, username: usernameInput, password }),
      output: signedIn,
      refusals: ['code_unusable', 'username_taken', 'password_too_weak', 'hashing_busy'],
    }),
    redeemReset: command({
      path: '/redeemReset',
      title: 'Set a new password with a reset code',
      access: 'public',
      rate: 'secret',
      input: z.strictObject({ code, password }),
      output: signedIn,
      refusals: ['code_unusable', 'password_too_weak', 'hashing_busy'],
    }),
    logout: command({ path: '/logout', title: 'Sign out', input: z.strictObject({}), output: z.object({}) }),
    session: query({
      path: '/session',
      title: 'Ask who is signed in',
      input: z.strictObject({}),
      output: z.object({ user: userSchema }),
    }),
    changePassword: command({
      path: '/password/change',
      title: 'Change your password; every other session ends, and access tokens stay',
      rate: 'secret',
      input: z.strictObject({ currentPassword: password, newPassword: password }),
      output: z.object({}),
      refusals: ['password_wrong', 'password_too_weak', 'session_needed', 'session_missing', 'password_delayed', 'hashing_busy'],
    }),
    listSessions: query({
      path: '/session/list',
      title: 'List your sessions',
      input: z.strictObject({}),
      output: z.object({
        sessions: z.array(
          z.object({
            id: idOf('session'),
            createdAt: z.number().int(),
            lastUsedAt: z.number().int().nullable(),
            /** The one that asks. */
            current: z.boolean(),
          }),
        ),
      }),
    }),
    revokeSession: command({
      path: '/session/:sessionId/revoke',
      title: 'End one of your sessions',
      access: 'owner',
      input: z.strictObject({ sessionId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    revokeOtherSessions: command({
      path: '/session/revokeOthers',
      title: 'End every session of yours but this one',
      input: z.strictObject({}),
      output: z.object({ ended: z.number().int() }),
    }),
    createToken: command({
      path: '/token/create',
      title: 'Create an access token for scripts',
      status: 201,
      idempotency: 'once',
      input: z.strictObject({
        name: z.string().trim().min(1).max(80),
        blocks: blockIds
          .optional()
          .describe('What it may call, one block id a line, such as run or chat. Empty means everything that you may.'),
      }),
      output: z.object({
        token: z.object({
          id: idOf('token'),
          name: z.string(),
          secret: z.string(),
          blocks: z.array(z.string()).nullable(),
          createdAt: z.number().int(),
        }),
      }),
      refusals: ['session_needed'],
    }),
    listTokens: query({
      path: '/token/list',
      title: 'List access tokens',
      input: z.strictObject({}),
      output: z.object({
        tokens: z.array(
          z.object({
            id: idOf('token'),
            name: z.string(),
            /** Ids of the blocks that it may call; null for all. */
            blocks: z.array(z.string()).nullable(),
            createdAt: z.number().int(),
            lastUsedAt: z.number().int().nullable(),
          }),
        ),
      }),
    }),
    revokeToken: command({
      path: '/token/:tokenId/revoke',
      title: 'Revoke an access token',
      access: 'owner',
      input: z.strictObject({ tokenId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'tokens',
      title: 'Access tokens',
      operation: 'listTokens',
      rows: 'tokens',
      key: 'id',
      empty: 'Access tokens let your own scripts call the server. There are none.',
      columns: [
        { field: 'name', title: 'Name', format: 'text' },
        { field: 'blocks', title: 'Limited to', format: 'list' },
        { field: 'createdAt', title: 'Created', format: 'time' },
        { field: 'lastUsedAt', title: 'Last used', format: 'time' },
      ],
    },
    {
      id: 'sessions',
      title: 'Sessions',
      operation: 'listSessions',
      rows: 'sessions',
      key: 'id',
      empty: 'A session is a browser that is signed in. There is none.',
      columns: [
        { field: 'createdAt', title: 'Signed in', format: 'time' },
        { field: 'lastUsedAt', title: 'Last used', format: 'time' },
        { field: 'current', title: 'This one', format: 'flag' },
      ],
    },
  ],
  actions: [
    { id: 'createToken', title: 'Create token', operation: 'createToken', on: 'block', table: 'tokens' },
    {
      id: 'revokeToken',
      title: 'Revoke',
      operation: 'revokeToken',
      on: 'row',
      table: 'tokens',
      fill: { tokenId: 'id' },
      confirm: 'Revoke the token {name}? Scripts that use it stop working at once.',
    },
    { id: 'changePassword', title: 'Change password', operation: 'changePassword', on: 'block', table: 'sessions' },
    {
      id: 'revokeOtherSessions',
      title: 'End the others',
      operation: 'revokeOtherSessions',
      on: 'block',
      table: 'sessions',
      confirm: 'End every session but this one? Whoever is signed in elsewhere as you has to sign in again; runs go on.',
    },
    {
      id: 'revokeSession',
      title: 'End',
      operation: 'revokeSession',
      on: 'row',
      table: 'sessions',
      fill: { sessionId: 'id' },
      confirm: 'End this session? The browser that holds it has to sign in again; runs go on.',
    },
  ],
})
