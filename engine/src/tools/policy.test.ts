import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createVersionLog } from '../editor/index.ts'
import { admitHarness, nothingKept } from '../kernel/index.ts'
import type { Workspace } from '../workspace/index.ts'
import type { RunnableTool, ToolContext } from './definition.ts'
import { decide } from './policy.ts'
import { done } from './results.ts'

const context: ToolContext = {
  mode: 'act',
  workspace: { root: '/project' } as Workspace,
  grants: admitHarness(),
  readLog: { record: () => {}, digestOf: () => null },
  versions: createVersionLog(nothingKept),
  tree: { begin: () => Promise.reject(new Error('not here')) },
  launch: () => Promise.reject(new Error('not here')),
}

function toolWith(facts: Partial<RunnableTool<unknown>>): RunnableTool<unknown> {
  return {
    name: 'probe',
    description: '',
    category: 'files',
    capability: 'write',
    policy: 'allow',
    renders: 'text',
    input: z.unknown(),
    headline: (input) => ({ verb: 'Probe', object: String(input) }),
    run: async () => done({ summary: '', text: '', details: { kind: 'text', text: '' } }),
    ...facts,
  }
}

const concern = () => ({ effect: 'Probe the core', reason: 'it is the core' })

/** The digest an approval of this call would be bound to. */
function digestOf(tool: RunnableTool<unknown>, input: unknown, facts: Partial<ToolContext> = {}): string | null {
  const decision = decide({ ...context, ...facts }, tool, input)
  return decision.kind === 'ask' ? decision.request.digest : null
}

describe('the policy', () => {
  it.each([
    ['lets an allowed tool run', { policy: 'allow' }, { kind: 'allow' }],
    ['asks for a tool that always asks', { policy: 'ask' }, { kind: 'ask', request: { effect: 'Probe x' } }],
    [
      'asks for an allowed tool that has a concern',
      { policy: 'allow', concern },
      { kind: 'ask', request: { effect: 'Probe the core', reason: 'it is the core' } },
    ],
    ['lets deny win over a concern', { policy: 'deny', concern }, { kind: 'deny', effect: 'Probe x' }],
  ] as const)('%s', (_case, facts, expected) => {
    expect(decide(context, toolWith(facts), 'x')).toMatchObject(expected)
  })

  it('binds an approval to tool, input, place and mode', () => {
    const tool = toolWith({ policy: 'ask' })
    const digests = [
      digestOf(tool, { text: 'x' }),
      digestOf(tool, { text: 'x ' }),
      digestOf(toolWith({ policy: 'ask', name: 'other' }), { text: 'x' }),
      digestOf(tool, { text: 'x' }, { workspace: { root: '/other' } as Workspace }),
      digestOf(tool, { text: 'x' }, { mode: 'plan' }),
    ]
    expect(new Set(digests).size).toBe(5)
    expect(digestOf(tool, { text: 'x' })).toBe(digests[0])
  })
})
