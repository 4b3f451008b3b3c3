/** Refusals about what is kept from models. */
import type { RefusalEntry } from './entry.ts'

export const privacyRefusals = {
  placeholder_in_call: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message:
      'The call of {tool} holds a redaction placeholder. The real value was never shown to you and is not filled in. Nothing was run. Read the value where it is needed, for instance from the file or the environment in the command itself.',
  },
  redaction_invalid: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'The redaction cannot be used: {problem}.',
  },
  redactions_full: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'There are {limit} redactions already. Remove one first.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
