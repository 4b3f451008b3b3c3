/** `git_commit`: here so that a model that wants to commit learns at once that it is not its to do. */
import { z } from 'zod'
import { defineTool } from '../definition.ts'

export const gitCommitTool = defineTool({
  name: 'git_commit',
  description: 'Left to the person: always blocked.',
  category: 'git',
  capability: 'write',
  policy: 'blocked',
  action: 'A commit',
  renders: 'blocker',
  input: z.strictObject({ message: z.string().optional() }),
  headline: ({ message }) => ({ verb: 'Commit', object: message?.split('\n')[0] ?? '' }),
})
