/** Refusals of the store and the key home. Most of them stop the start, before anything is touched. */
import type { RefusalEntry } from './entry.ts'

export const storageRefusals = {
  data_home_locked: {
    status: 409,
    fix: 'operator',
    retry: 'later',
    message: 'Another server, {holder}, already uses the data home {path}. Stop it first, or set HARNESS_WEB_DATA.',
  },
  data_home_unusable: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'The data home {path} cannot be used: {problem}.',
  },
  data_home_full: {
    status: 507,
    fix: 'operator',
    retry: 'after-change',
    message: 'The disk of {path} has {freeBytes} bytes free, and {neededBytes} are needed. Make room there; nothing was changed.',
  },
  data_damaged: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'The database {path} is damaged: {problem}. It was left as it is. {backup}',
  },
  data_incomplete: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message:
      'The data home {path} lacks what was recorded: {problem}. Put the missing file back, or restore a backup with "bridlewise restore <file>". To go on with what is there, remove {witness}. Nothing was changed.',
  },
  sqlite_unsafe: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'SQLite {version} can damage a database in use. Start with "npm start", which installs the pinned one.',
  },
  schema_newer: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'The database was written by a newer version. Start that version; nothing was changed.',
  },
  key_home_unsafe: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message: 'The key home {path} is not safe: {problem}. {remedy}',
  },
  key_missing: {
    status: 500,
    fix: 'operator',
    retry: 'after-change',
    message:
      'The key {keyId} is missing, and sealed data exists. Put the key home back at {path}; a new key is never made over old data.',
  },
  backup_target_unusable: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'No backup can be written to {path}: {problem}. Nothing was written.',
  },
  diagnostics_target_unusable: {
    status: 409,
    fix: 'user',
    retry: 'after-change',
    message: 'The diagnostics cannot be saved to {path}: {problem}. Nothing was written.',
  },
  backup_unusable: {
    status: 422,
    fix: 'user',
    retry: 'after-change',
    message: '{path} cannot be restored: {problem}. Nothing was changed.',
  },
  key_file_unusable: {
    status: 400,
    fix: 'operator',
    retry: 'after-change',
    message: 'The key file {path} cannot be used: {problem}.',
  },
  key_file_unopened: {
    status: 403,
    fix: 'operator',
    retry: 'after-change',
    message: 'The key file {path} does not open. The passphrase is another one, or the file was changed.',
  },
  key_file_unfit: {
    status: 409,
    fix: 'operator',
    retry: 'after-change',
    message:
      'The keys in {path} are not those that the data home {home} needs. Nothing was imported. For other data, set HARNESS_WEB_DATA.',
  },
  passphrase_unusable: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'The passphrase cannot be used: {problem}.',
  },
  sealed_value_tampered: {
    status: 500,
    fix: 'operator',
    retry: 'never',
    message: 'A sealed value in {table}.{column} ({row}) does not belong there or was changed. It was not used.',
  },
  ledger_broken: { status: 500, fix: 'operator', retry: 'never', message: 'The ledger does not verify: entry {seq} {problem}.' },
  thing_gone: {
    status: 409,
    fix: 'user',
    retry: 'never',
    message: 'What this belongs to was removed a moment ago. Nothing was stored.',
  },
  content_removed: {
    status: 410,
    fix: 'user',
    retry: 'never',
    message: 'The {what} was removed by retention on {date}. The words and the ledger of the run are still there.',
  },
  retention_bound: {
    status: 409,
    fix: 'operator',
    retry: 'after-change',
    message: 'An administrator allows at most {mebibytes} MiB and {days} days. Choose less.',
  },
  storage_full: {
    status: 507,
    fix: 'operator',
    retry: 'after-change',
    message: 'The disk of the data home is full. Nothing was lost; make room and try again.',
  },
  storage_failed: {
    status: 503,
    fix: 'operator',
    retry: 'later',
    message:
      'The disk of the data home failed: {problem}. What was acknowledged before is kept. Look at the disk, then try again.',
  },
  storage_busy: {
    status: 503,
    fix: 'operator',
    retry: 'later',
    message: 'Another program holds the database and does not let go. End that program, then try again. Nothing was written.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
