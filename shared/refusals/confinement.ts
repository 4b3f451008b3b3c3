/** Why a command was not started, or what stopped it. Never a silent run without confinement. */
import type { RefusalEntry } from './entry.ts'

export const confinementRefusals = {
  guardian_missing: {
    status: 503,
    fix: 'operator',
    retry: 'after-change',
    message: 'The guardian is not built, so commands do not start. Install a C compiler ({remedy}) and start again.',
  },
  guardian_unusable: {
    status: 503,
    fix: 'operator',
    retry: 'after-change',
    message: 'The guardian cannot run here: {problem}. Commands do not start.',
  },
  kernel_unsupported: {
    status: 503,
    fix: 'operator',
    retry: 'never',
    message: 'This kernel cannot confine commands: {problem}. Everything else works; commands do not start.',
  },
  confinement_failed: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'The guardian refused to start the command: {problem}.',
  },
  command_not_found: {
    status: 404,
    fix: 'model',
    retry: 'after-change',
    message: 'The program {program} was not found on the PATH of the sandbox.',
  },
  command_invalid: { status: 400, fix: 'model', retry: 'after-change', message: 'The command cannot be run: {problem}.' },
} as const satisfies Readonly<Record<string, RefusalEntry>>
