/** Refusals of the edit tool. A refused edit has written nothing. */
import type { RefusalEntry } from './entry.ts'

export const editorRefusals = {
  edit_no_match: { status: 409, fix: 'model', retry: 'after-change', message: 'The old text does not stand in {path}. {advice}' },
  edit_ambiguous: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The old text stands {count} times in {path}, at lines {lines}. Give more of its surroundings.',
  },
  edit_old_empty: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'The old text is empty and {path} exists. Empty old text only creates a file that is not there.',
  },
  edit_no_change: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'The old and the new text of {path} are the same.',
  },
  edit_text_malformed: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message: 'A text for {path} holds half a character (a lone surrogate), which no file can hold.',
  },
  edit_count_differs: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The old text stands {count} times in {path}, at lines {lines}, not {expected} times.',
  },
  edit_too_many: {
    status: 413,
    fix: 'model',
    retry: 'after-change',
    message: 'One call holds at most {limit} edits; this one has {count}.',
  },
  file_exists: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The file {path} already exists and create never overwrites. Replace parts of it instead.',
  },
  stale_file: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'The file {path} changed since it was last read by this run. Read it again.',
  },
  file_unread: {
    status: 409,
    fix: 'model',
    retry: 'after-change',
    message: 'This run has not read {path}. Read it before changing it.',
  },
  encoding_unsupported: {
    status: 415,
    fix: 'model',
    retry: 'never',
    message: 'The file {path} is not valid UTF-8, and the edit cannot be made without touching other bytes.',
  },
  write_failed: {
    status: 500,
    fix: 'user',
    retry: 'after-change',
    message: 'Writing {path} failed: {problem}. The file is as it was before.',
  },
  placeholder_in_edit: {
    status: 400,
    fix: 'model',
    retry: 'after-change',
    message:
      'The new text of {path} holds a redaction placeholder. The real value was never shown to you; leave that part out of the edit.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
