/** `git_log`: the newest commits. */
import { z } from 'zod'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { askGit } from '../git.ts'
import { done } from '../results.ts'

const defaultCount = 20

export const gitLogTool = defineTool({
  name: 'git_log',
  description: `Newest commits, ${defaultCount} unless said.`,
  category: 'git',
  capability: 'read',
  policy: 'allow',
  renders: 'text',
  input: z.strictObject({ count: z.int().min(1).max(200).optional(), path: z.string().optional() }),
  headline: ({ path }) => ({ verb: 'Log', object: path ?? 'git' }),
  run: async (context, { count: many = defaultCount, path }, signal) => {
    const paths = path === undefined ? [] : [`:(literal)${path}`]
    const format = '--format=%h %ad %an: %s'
    const args = ['log', '--no-show-signature', '--date=short', `--max-count=${many}`, format, '--', ...paths]
    const answer = await askGit(context, args, signal)
    if (answer.kind === 'ended') return answer.result
    const text = answer.stdout.trimEnd()
    const commits = text === '' ? 0 : text.split('\n').length
    return done({ summary: count(commits, 'commit'), text: text || 'No commit.', details: { kind: 'text', text } })
  },
})
