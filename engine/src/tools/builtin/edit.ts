/** `edit`: the one tool that changes files. */
import { z } from 'zod'
import { applyEdits, type Edit } from '../../editor/index.ts'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { done, refused } from '../results.ts'

const editInput = z.strictObject({
  path: z.string(),
  old: z.string().describe('text that stands there exactly once; absent to create the file').optional(),
  new: z.string(),
  all: z.boolean().describe('replace every occurrence').optional(),
})

export const editTool = defineTool({
  name: 'edit',
  description: 'Replace exact text in files, or create files. All edits of a call apply or none; later ones see earlier ones.',
  category: 'files',
  capability: 'write',
  policy: 'allow',
  renders: 'diff',
  input: z.strictObject({ edits: z.array(editInput).min(1).max(100) }),
  headline: ({ edits }) => ({
    verb: edits.every(({ old }) => old === undefined) ? 'Create' : 'Edit',
    object: namePaths(edits.map(({ path }) => path)),
  }),
  concern: ({ workspace }, { edits }) => {
    const control = edits.map(({ path }) => path).filter((path) => workspace.isControlFile(path))
    if (control.length === 0) return null
    return {
      effect: `Edit ${[...new Set(control)].join(', ')}`,
      reason: 'such files steer other tools and may make them run code',
    }
  },
  run: async ({ workspace, readLog, versions, grants }, { edits }, signal) => {
    const applied = await applyEdits({ workspace, readLog, versions, grants }, edits.map(toEdit), signal)
    if (!applied.ok) return refused(applied.refusal)
    const { files } = applied.value
    const added = files.reduce((sum, { diff }) => sum + diff.added, 0)
    const removed = files.reduce((sum, { diff }) => sum + diff.removed, 0)
    return done({
      summary: `+${added} −${removed}${files.length > 1 ? ` in ${count(files.length, 'file')}` : ''}`,
      text: files.map(({ diff }) => `${diff.path} ${diff.change}: +${diff.added} −${diff.removed}`).join('\n'),
      details: { kind: 'diff', files: files.map(({ diff }) => diff) },
      effects: files.map(({ path, before, after, mode, diff }) => {
        const { change } = diff
        return { effect: 'file', target: path, before, after, diff, change, mode }
      }),
    })
  },
})

function toEdit({ path, old, new: text, all }: z.infer<typeof editInput>): Edit {
  if (old === undefined) return { kind: 'create', path, text }
  return { kind: 'replace', path, oldText: old, newText: text, ...(all ? { occurrences: 'every' } : {}) }
}

function namePaths(paths: readonly string[]): string {
  const [first = '', ...others] = new Set(paths)
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
