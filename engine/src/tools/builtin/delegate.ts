/** `delegate`: a part of the work, given to a child of the run with no more than the run has itself. */
import { z } from 'zod'
import { type Delegation, defineTool } from '../definition.ts'

export const delegationLimits = {
  /** Characters of a task. */
  task: 20_000,
  requests: 60,
  minutes: 60,
} as const

export const delegateTool = defineTool({
  name: 'delegate',
  description:
    'Give a task to a helper that knows only what you write here. You get its last answer and what it changed. Tasks that only read, or change other paths, run at once.',
  category: 'task',
  capability: 'execute',
  policy: 'allow',
  inPlanMode: 'reads-only',
  renders: 'text',
  input: z.strictObject({
    task: z.string().trim().min(1).max(delegationLimits.task),
    tools: z.array(z.string()).min(1).max(64).describe('all of yours unless said').optional(),
    paths: z.array(z.string()).max(32).describe('what it may change; unless said it only reads').optional(),
    budget: z
      .strictObject({
        requests: z.int().min(1).max(delegationLimits.requests).optional(),
        minutes: z.int().min(1).max(delegationLimits.minutes).optional(),
        tokens: z.int().min(1).optional(),
        dollars: z.number().positive().max(1_000_000).optional(),
      })
      .optional(),
  }),
  headline: ({ task }) => ({ verb: 'Assign', object: task.split('\n', 1)[0] ?? '' }),
  delegation: ({ task, tools, paths = [], budget = {} }): Delegation => ({ task, tools, paths, budget }),
})
