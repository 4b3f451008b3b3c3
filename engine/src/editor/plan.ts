/** The plan: every edit tried out in memory, so that what can be refused is refused before any file is touched. */
import { hash } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { findPlaceholders } from '../privacy/index.ts'
import { type FileContent, readLimit, viewText } from '../workspace/index.ts'
import { type ByteText, readByteText, toBytes, toText, writeByteText } from './byte-text.ts'
import { diffTexts } from './diff.ts'
import { replaceText } from './replace.ts'
import type { CreateEdit, Edit, EditContext, EditedFile, ReplaceEdit } from './request.ts'

/** A file as it will be. */
export interface PlannedFile extends EditedFile {
  readonly bytes: Uint8Array
  /** What stands there now; null for a file that is created. */
  readonly former: FileContent | null
}

/** A file while its edits are tried out; `before` is null for one that is being created. */
interface Draft {
  readonly path: string
  readonly before: FileContent | null
  readonly original: ByteText
  body: string
}

/**
 * Work out what all edits together make of the files. Reads, and writes nothing.
 *
 * Refuses: what the paths refuse, file_unread, stale_file, file_exists, file_binary, file_too_large,
 * edit_text_malformed, placeholder_in_edit, edit_old_empty, and what `replaceText` refuses.
 */
export async function planEdits(context: EditContext, edits: readonly Edit[]): Promise<Result<readonly PlannedFile[]>> {
  const drafts = new Map<string, Draft>()
  for (const edit of edits) {
    const resolved = context.workspace.resolve(edit.path)
    if (!resolved.ok) return resolved
    const drafted = await draftEdit(context, drafts, { ...edit, path: resolved.value })
    if (!drafted.ok) return drafted
    drafts.set(resolved.value, drafted.value)
  }
  const planned: PlannedFile[] = []
  for (const draft of drafts.values()) {
    const finished = finishDraft(draft)
    if (!finished.ok) return finished
    planned.push(finished.value)
  }
  return ok(planned)
}

async function draftEdit(context: EditContext, drafts: ReadonlyMap<string, Draft>, edit: Edit): Promise<Result<Draft>> {
  const { path } = edit
  const texts = edit.kind === 'create' ? [edit.text] : [edit.oldText, edit.newText]
  if (!texts.every((text) => text.isWellFormed())) return refuse('edit_text_malformed', { path })
  const draft = drafts.get(path)
  if (edit.kind === 'create') return draft ? refuse('file_exists', { path }) : createDraft(context, edit)
  if (draft) return reviseDraft(draft, edit)
  const opened = await openDraft(context, path)
  if (opened.ok) return reviseDraft(opened.value, edit)
  // Nothing stands in a file that is not there, so an empty old text is exact: it creates.
  if (opened.refusal.code === 'path_missing' && edit.oldText === '') {
    return createDraft(context, { kind: 'create', path, text: edit.newText })
  }
  return opened
}

/** Whatever stands there, even unread or unreadable, is not overwritten. */
async function createDraft({ workspace }: EditContext, { path, text }: CreateEdit): Promise<Result<Draft>> {
  const standing = await workspace.read(path)
  if (standing.ok || standing.refusal.code === 'file_too_large') return refuse('file_exists', { path })
  if (standing.refusal.code !== 'path_missing') return standing
  if (findPlaceholders(text).length > 0) return refuse('placeholder_in_edit', { path })
  return ok({ path, before: null, original: { body: '', mark: '', isUtf8: true }, body: toBytes(text) })
}

async function openDraft({ workspace, readLog }: EditContext, path: string): Promise<Result<Draft>> {
  const content = await workspace.read(path)
  if (!content.ok) return content
  const seen = readLog.digestOf(path)
  if (seen === null) return refuse('file_unread', { path })
  if (seen !== content.value.digest) return refuse('stale_file', { path })
  if (viewText(content.value.bytes) === null) return refuse('file_binary', { path })
  const original = readByteText(content.value.bytes)
  return ok({ path, before: content.value, original, body: original.body })
}

function reviseDraft(draft: Draft, edit: ReplaceEdit): Result<Draft> {
  const { path, original, body } = draft
  if (edit.oldText === '') return refuse('edit_old_empty', { path })
  // A placeholder that really stands in the file is text like any other.
  if (findPlaceholders(edit.newText).some((placeholder) => !original.body.includes(placeholder))) {
    return refuse('placeholder_in_edit', { path })
  }
  const replaced = replaceText({ ...original, body }, edit)
  return replaced.ok ? ok({ ...draft, body: replaced.value }) : replaced
}

function finishDraft({ path, before, original, body }: Draft): Result<PlannedFile> {
  if (before !== null && body === original.body) return refuse('edit_no_change', { path })
  const bytes = writeByteText({ mark: original.mark, body })
  if (bytes.byteLength > readLimit) return refuse('file_too_large', { path, bytes: bytes.byteLength, limit: readLimit })
  const diff = diffTexts(path, before === null ? null : toText(original.body), toText(body))
  return ok({
    path,
    before: before?.digest ?? null,
    mode: before?.mode ?? null,
    after: hash('sha256', bytes, 'hex'),
    diff,
    bytes,
    former: before,
  })
}
