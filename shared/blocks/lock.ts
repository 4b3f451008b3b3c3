import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'

const state = z.enum(['locked', 'open'])

export const lock = defineBlock({
  id: 'lock',
  title: 'Lock',
  about: 'Whether the key home is locked, and the passphrase that opens it. While it is, nothing else answers.',
  surface: 'none',
  operations: {
    status: query({
      path: '',
      title: 'Ask whether the key home is locked',
      access: 'public',
      input: z.strictObject({}),
      output: z.object({ state }),
    }),
    unlock: command({
      path: '/unlock',
      title: 'Unlock the key home',
      access: 'public',
      rate: 'secret',
      bodyLimit: 8 * 1024,
      input: z.strictObject({ passphrase: z.string().min(1).max(1024) }),
      output: z.object({ state }),
      refusals: ['passphrase_wrong', 'key_home_open', 'key_home_locked'],
    }),
  },
})
