import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf } from '../wire/index.ts'

const username = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}._@-]+$/u, 'letters, digits and . _ @ - only')
const password = z.string().min(1).max(1024)

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
      input: z.strictObject({ code: z.string().min(1).max(128), username, password }),
      output: signedIn,
      refusals: ['setup_done', 'setup_code_wrong', 'password_too_weak'],
    }),
    login: command({
      path: '/login',
      title: 'Sign in',
      access: 'public',
      rate: 'secret',
      input: z.strictObject({ username: z.string().min(1).max(256), password }),
      output: signedIn,
      refusals: ['credentials_wrong', 'setup_required'],
    }),
    logout: command({ path: '/logout', title: 'Sign out', input: z.strictObject({}), output: z.object({}) }),
    session: query({
      path: '/session',
      title: 'Ask who is signed in',
      input: z.strictObject({}),
      output: z.object({ user: userSchema }),
    }),
    createToken: command({
      path: '/token/create',
      title: 'Create an access token for scripts',
      status: 201,
      input: z.strictObject({ name: z.string().trim().min(1).max(80) }),
      output: z.object({
        token: z.object({ id: idOf('token'), name: z.string(), secret: z.string(), createdAt: z.number().int() }),
      }),
    }),
    listTokens: query({
      path: '/token/list',
      title: 'List access tokens',
      input: z.strictObject({}),
      output: z.object({
        tokens: z.array(
          z.object({ id: idOf('token'), name: z.string(), createdAt: z.number().int(), lastUsedAt: z.number().int().nullable() }),
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
        { field: 'createdAt', title: 'Created', format: 'time' },
        { field: 'lastUsedAt', title: 'Last used', format: 'time' },
      ],
    },
  ],
  actions: [
    { id: 'createToken', title: 'Create token', operation: 'createToken', on: 'block' },
    {
      id: 'revokeToken',
      title: 'Revoke',
      operation: 'revokeToken',
      on: 'row',
      fill: { tokenId: 'id' },
      confirm: 'Revoke the token {name}? Scripts that use it stop working at once.',
    },
  ],
})
