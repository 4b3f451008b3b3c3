/** `git_status`: branch and changed files. */
import { z } from 'zod'
import type { Workspace } from '../../workspace/index.ts'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { askGit } from '../git.ts'
import { done } from '../results.ts'

const maxShown = 500

export const gitStatusTool = defineTool({
  name: 'git_status',
  description: 'Branch and changed files.',
  category: 'git',
  capability: 'read',
  policy: 'allow',
  renders: 'status',
  input: z.strictObject({}),
  headline: () => ({ verb: 'Status', object: 'git' }),
  run: async (context, _input, signal) => {
    const answer = await askGit(context, ['status', '--porcelain=v1', '--branch', '-z', '--untracked-files=all'], signal)
    if (answer.kind === 'ended') return answer.result
    const { branch, entries } = parseStatus(answer.stdout)
    const shown = await admitEntries(context.workspace, entries)
    const unshown = entries.length - shown.length
    const lines = shown.map(({ path, state }) => `${state} ${path}`)
    const note = unshown > 0 ? `\n[${count(unshown, 'entry', 'entries')} not shown]` : ''
    return done({
      summary: entries.length === 0 ? 'clean' : count(entries.length, 'change'),
      text: `On ${branch ?? 'no branch'}.\n${lines.join('\n') || 'Nothing changed.'}${note}`,
      details: { kind: 'status', branch, entries: shown, clean: entries.length === 0 },
    })
  },
})

interface StatusEntry {
  readonly path: string
  readonly state: string
}

/** What is hidden from the model stays hidden here; it still counts as a change. */
async function admitEntries(workspace: Workspace, entries: readonly StatusEntry[]): Promise<StatusEntry[]> {
  const shown: StatusEntry[] = []
  for (const entry of entries) {
    if (shown.length === maxShown) break
    const admitted = await workspace.admit(entry.path)
    if (admitted.ok) shown.push(entry)
  }
  return shown
}

/** Format: git-status(1), porcelain version 1 with -z: `XY path`, and for a rename the old path as an item of its own. */
function parseStatus(text: string): { readonly branch: string | null; readonly entries: StatusEntry[] } {
  let branch: string | null = null
  const entries: StatusEntry[] = []
  const items = text.split('\0').values()
  for (const item of items) {
    if (item.startsWith('## ')) branch = readBranch(item.slice(3))
    else if (item.length > 3) {
      const code = item.slice(0, 2)
      entries.push({ path: item.slice(3), state: nameState(code) })
      if (/[RC]/.test(code)) items.next()
    }
  }
  return { branch, entries }
}

/** `main...origin/main [ahead 1]`, `No commits yet on main`, `HEAD (no branch)`. */
function readBranch(text: string): string | null {
  if (text.startsWith('HEAD (no branch)')) return null
  return text.replace(/^No commits yet on /, '').replace(/(\.\.\.| \[).*$/, '')
}

/** The index column, then the working tree's, in words. */
function nameState(code: string): string {
  if (code === '??') return 'untracked'
  if (/U|AA|DD/.test(code)) return 'conflict'
  const [staged = ' ', unstaged = ' '] = code
  const words = [
    staged === ' ' ? null : `${letters[staged] ?? staged} (staged)`,
    unstaged === ' ' ? null : (letters[unstaged] ?? unstaged),
  ]
  return words.filter((word) => word !== null).join(', ')
}

const letters: Readonly<Record<string, string>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type changed',
}
