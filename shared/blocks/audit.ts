import { z } from 'zod'
import { defineBlock, query } from '../define/index.ts'
import { nextOutput, numberMark, pageInput } from '../wire/index.ts'

export const securityEventSchema = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  /** How often it happened in its minute; null when the row was changed from outside. */
  count: z.number().int().nullable(),
  /** The user's name, or the id of one who is gone; null when nobody was known. */
  who: z.string().nullable(),
  /** Of the socket. */
  address: z.string().nullable(),
  /** Method and path without query. */
  where: z.string(),
  firstAt: z.number().int(),
  lastAt: z.number().int(),
})

export const audit = defineBlock({
  id: 'audit',
  title: 'Security events',
  about: 'What was refused at the door, who signed in and out, what was revoked, and when the server started and stopped.',
  operations: {
    list: query({
      path: '/list',
      title: 'List security events, newest first',
      access: 'admin',
      input: z.strictObject(pageInput(numberMark)),
      output: z.object({ events: z.array(securityEventSchema), next: nextOutput }),
    }),
  },
  tables: [
    {
      id: 'events',
      title: 'Security events',
      operation: 'list',
      rows: 'events',
      key: 'id',
      empty: 'Nothing was refused yet, and nobody has signed in.',
      columns: [
        { field: 'lastAt', title: 'Last', format: 'time' },
        { field: 'title', title: 'What', format: 'text' },
        { field: 'count', title: 'Times', format: 'number' },
        { field: 'who', title: 'Who', format: 'text' },
        { field: 'address', title: 'From', format: 'mono' },
        { field: 'where', title: 'Where', format: 'mono' },
      ],
    },
  ],
})
