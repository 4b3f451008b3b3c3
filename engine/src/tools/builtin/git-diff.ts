/** `git_diff`: what differs, as a structured diff. */
import type { FileDiff } from '@bridlewise/shared/wire'
import { z } from 'zod'
import type { Workspace } from '../../workspace/index.ts'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { askGit } from '../git.ts'
import { parsePatch } from '../patch.ts'
import { done } from '../results.ts'

const maxFiles = 100

export const gitDiffTool = defineTool({
  name: 'git_diff',
  description: 'Unstaged changes as a patch, or staged ones. Untracked files are only in git_status.',
  category: 'git',
  capability: 'read',
  policy: 'allow',
  renders: 'diff',
  input: z.strictObject({ staged: z.boolean().optional(), path: z.string().optional() }),
  headline: ({ staged = false, path }) => ({ verb: 'Diff', object: path ?? (staged ? 'staged changes' : 'changes') }),
  run: async (context, { staged = false, path }, signal) => {
    const paths = path === undefined ? [] : [`:(literal)${path}`]
    const args = [
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--ignore-submodules=all',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ]
    const answer = await askGit(context, [...args, ...(staged ? ['--cached'] : []), '--', ...paths], signal)
    if (answer.kind === 'ended') return answer.result
    const all = parsePatch(answer.stdout)
    const files = await admitFiles(context.workspace, all)
    const unshown = all.length - files.length
    const text = files.map(writeFile).join('\n')
    return done({
      summary:
        all.length === 0
          ? 'no difference'
          : `${sum(files, 'added', '+')} ${sum(files, 'removed', '−')} in ${count(all.length, 'file')}`,
      text: `${text || 'No difference.'}${unshown > 0 ? `\n[${count(unshown, 'file')} not shown]` : ''}`,
      details: { kind: 'diff', files },
      readOn: 'Ask for one path to see the rest.',
    })
  },
})

/** What is hidden from the model is not shown by way of git either. */
async function admitFiles(workspace: Workspace, files: readonly FileDiff[]): Promise<FileDiff[]> {
  const shown: FileDiff[] = []
  for (const file of files) {
    if (shown.length === maxFiles) break
    const admitted = await workspace.admit(file.path)
    if (admitted.ok) shown.push(file)
  }
  return shown
}

function writeFile({ path, change, hunks, cut }: FileDiff): string {
  const marks = { same: ' ', added: '+', removed: '-' } as const
  const lines = hunks.flatMap((hunk) => [hunk.header, ...hunk.lines.map(({ kind, text }) => `${marks[kind]}${text}`)])
  return [`${path} (${change})`, ...lines, ...(cut === null ? [] : [`[${cut}]`])].join('\n')
}

function sum(files: readonly FileDiff[], what: 'added' | 'removed', sign: string): string {
  return `${sign}${files.reduce((total, file) => total + file[what], 0)}`
}
