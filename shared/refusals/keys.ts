/** Refusals of a key home under a passphrase or a keychain. */
import type { RefusalEntry } from './entry.ts'

export const keyRefusals = {
  key_home_locked: {
    status: 423,
    fix: 'user',
    retry: 'after-change',
    message: 'The key home is locked. Open the cockpit and enter its passphrase, or name a file in HARNESS_WEB_PASSPHRASE_FILE.',
  },
  key_home_open: { status: 409, fix: 'user', retry: 'never', message: 'The key home is not locked. Sign in.' },
  key_home_empty: {
    status: 409,
    fix: 'operator',
    retry: 'after-change',
    message: 'There is no key in {path} that could be protected. Start the server once, or import the keys first.',
  },
  key_home_bare: {
    status: 409,
    fix: 'operator',
    retry: 'never',
    message: 'The keys in {path} are not under {protection}. Nothing was changed.',
  },
  passphrase_wrong: {
    status: 403,
    fix: 'user',
    retry: 'after-change',
    message: 'The key home does not open. The passphrase is another one, or the file of the keys was changed.',
  },
  keychain_unusable: {
    status: 503,
    fix: 'operator',
    retry: 'after-change',
    message: 'The keychain of this system cannot be used: {problem}. Nothing was changed, and no new key was made.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
