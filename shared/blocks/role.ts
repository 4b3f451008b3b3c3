import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'
import { modelChoiceSchema, modelRoleSchema } from '../wire/index.ts'

/** A chat, a project, or neither: everywhere. */
const place = {
  chatId: z.string().min(1).max(64).optional(),
  projectId: z.string().min(1).max(64).optional(),
}

export const roleLineSchema = z.object({
  role: modelRoleSchema,
  /** What does the work here; null when there is no model for it. */
  model: modelChoiceSchema.nullable(),
  /** Where that was chosen. `main`: nowhere, so the main model does it; `nobody`: there is none. */
  from: z.enum(['chat', 'project', 'everywhere', 'main', 'nobody']),
  /** What was chosen for this very place, whether it can be asked or not. */
  chosen: modelChoiceSchema.nullable(),
})
export type RoleLine = z.infer<typeof roleLineSchema>

export const role = defineBlock({
  id: 'role',
  title: 'Models by role',
  about:
    'Which model answers, and which writes titles and summaries: everywhere, in a project, in a chat. A model for embeddings can be chosen; nothing asks it yet.',
  surface: 'view',
  operations: {
    get: query({
      path: '',
      title: 'Read which model does what in a place',
      input: z.strictObject(place),
      output: z.object({
        roles: z.array(roleLineSchema),
        /** Whether chats get their titles from the small model. */
        titles: z.boolean(),
      }),
      refusals: ['thing_unknown', 'input_invalid'],
    }),
    assign: command({
      path: '/assign',
      title: 'Choose the model of a role',
      input: z.strictObject({
        ...place,
        role: modelRoleSchema,
        /** Null takes the choice back. */
        model: modelChoiceSchema.nullable(),
      }),
      output: z.object({ roles: z.array(roleLineSchema) }),
      refusals: ['thing_unknown', 'provider_not_configured', 'model_not_configured', 'input_invalid'],
    }),
    setTitles: command({
      path: '/setTitles',
      title: 'Have chats named by the small model, or by their first words',
      input: z.strictObject({ titles: z.boolean() }),
      output: z.object({}),
    }),
  },
})
