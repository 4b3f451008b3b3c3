import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { idOf } from '../wire/index.ts'
import { usernameInput } from './account.ts'

export const projectSchema = z.object({
  id: idOf('project'),
  name: z.string(),
  path: z.string(),
  /** Whether the directory that was pinned at creation is still there. */
  present: z.boolean(),
  demo: z.boolean(),
  createdAt: z.number().int(),
  /** Of a project that somebody else shares with you: their user name. Null for your own. */
  sharedBy: z.string().nullable(),
  /** With how many people you share it; always 0 for a project that is not yours. */
  sharedWith: z.number().int(),
})
export type Project = z.infer<typeof projectSchema>

/** With whom a project is shared. Whether an account of that name exists is deliberately not said. */
export const projectShareSchema = z.object({
  id: idOf('share'),
  username: z.string(),
  createdAt: z.number().int(),
})
export type ProjectShare = z.infer<typeof projectShareSchema>

const projectId = z.string().min(1).max(64)

export const project = defineBlock({
  id: 'project',
  title: 'Projects',
  about: 'Directories that the agent may work in. Tools see nothing outside the one that a chat belongs to.',
  surface: 'view',
  operations: {
    create: command({
      path: '/create',
      title: 'Add a project',
      status: 201,
      idempotency: 'key',
      input: z.strictObject({ name: z.string().trim().min(1).max(120), path: z.string().min(1).max(4096) }),
      output: z.object({ project: projectSchema }),
      refusals: ['project_path_invalid', 'project_path_taken'],
    }),
    createDemo: command({
      path: '/demo',
      title: 'Copy the sample project to a place of its own',
      status: 201,
      idempotency: 'key',
      input: z.strictObject({}),
      output: z.object({ project: projectSchema, suggestedPrompt: z.string() }),
      refusals: ['project_path_invalid', 'storage_full'],
    }),
    list: query({
      path: '/list',
      title: 'List projects, your own and those shared with you',
      input: z.strictObject({}),
      output: z.object({ projects: z.array(projectSchema) }),
    }),
    browse: query({
      path: '/browse',
      title: 'List directories, to choose a project from',
      input: z.strictObject({ path: z.string().max(4096).optional() }),
      output: z.object({
        path: z.string(),
        parent: z.string().nullable(),
        directories: z.array(z.object({ name: z.string(), path: z.string(), git: z.boolean() })),
        cut: z.boolean(),
      }),
      refusals: ['project_path_invalid'],
    }),
    get: query({
      path: '/:projectId',
      title: 'Read a project',
      access: 'owner',
      input: z.strictObject({ projectId }),
      output: z.object({ project: projectSchema }),
      refusals: ['thing_unknown'],
    }),
    previewRemoval: query({
      path: '/:projectId/previewRemoval',
      title: 'Say what removing a project would erase',
      access: 'owner',
      input: z.strictObject({ projectId }),
      output: z.object({ chats: z.number().int(), runs: z.number().int(), shares: z.number().int() }),
      refusals: ['thing_unknown'],
    }),
    remove: command({
      path: '/:projectId/remove',
      title: 'Remove a project and erase its chats; its directory stays',
      access: 'owner',
      input: z.strictObject({ projectId }),
      output: z.object({}),
      refusals: ['thing_unknown', 'project_busy'],
    }),
    share: command({
      path: '/:projectId/share',
      title: 'Share a project with another member, by user name',
      access: 'owner',
      input: z.strictObject({ projectId, username: usernameInput }),
      output: z.object({ share: projectShareSchema }),
      refusals: ['thing_unknown', 'project_shares_full'],
    }),
    listShares: query({
      path: '/:projectId/shares',
      title: 'List whom a project is shared with',
      access: 'owner',
      input: z.strictObject({ projectId }),
      output: z.object({ shares: z.array(projectShareSchema) }),
      refusals: ['thing_unknown'],
    }),
    unshare: command({
      path: '/:projectId/unshare',
      title: 'Stop sharing a project with somebody, and stop their runs in it',
      access: 'owner',
      input: z.strictObject({ projectId, shareId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
    leave: command({
      path: '/:projectId/leave',
      title: 'Give back a project that somebody shares with you',
      access: 'owner',
      input: z.strictObject({ projectId }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'projects',
      title: 'Projects',
      operation: 'list',
      rows: 'projects',
      key: 'id',
      empty: 'A project is a directory that the agent may read and change. Add one to begin.',
      columns: [
        { field: 'name', title: 'Name', format: 'text' },
        { field: 'path', title: 'Directory', format: 'mono' },
        { field: 'present', title: 'There', format: 'flag' },
        { field: 'sharedBy', title: 'Shared by', format: 'text' },
        { field: 'createdAt', title: 'Added', format: 'time' },
      ],
    },
  ],
  actions: [
    { id: 'create', title: 'Add project', operation: 'create', on: 'block' },
    {
      id: 'remove',
      title: 'Remove',
      operation: 'remove',
      on: 'row',
      fill: { projectId: 'id' },
      confirm: 'Remove {name} from the cockpit and erase its chats for good? The directory {path} stays as it is.',
    },
  ],
})
