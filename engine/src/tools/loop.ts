/** Notices a model that asks for the same thing again and again and gets the same answer. */
import { createHash } from 'node:crypto'
import type { Tool } from './definition.ts'
import type { ToolEffect } from './effect.ts'

/** How often the same call may give the same result before it is not run again. */
const allowedRepeats = 2

export interface EndedCall {
  readonly text: string
  readonly effects: readonly Pick<ToolEffect, 'effect'>[]
}

export interface LoopWatch {
  /** How often in a row this call gave the same result, when it must not run again; else null. */
  repeats(key: string): number | null
  /** Take note of how a call ended. */
  record(key: string, tool: Tool | undefined, result: EndedCall): void
}

/** What makes two calls the same: the tool and its arguments as text, after parsing where they parse. */
export function loopKey(tool: string, input: unknown): string {
  return digest(JSON.stringify([tool, input]))
}

/** How much of the world a tool can change; a change makes repeats of what changes less worthwhile again. */
const reach = { read: 0, execute: 1, write: 2 } as const

export function createLoopWatch(): LoopWatch {
  const seen = new Map<string, { result: string; times: number; reach: number }>()
  return {
    repeats: (key) => {
      const times = seen.get(key)?.times ?? 0
      return times >= allowedRepeats ? times : null
    },
    record: (key, tool, { text, effects }) => {
      // After an edit a test run may be worth repeating, after a command a look at the tree. Edits stay
      // counted, or two that undo each other would go on for ever; so do commands after commands.
      const changed = Math.max(0, ...effects.map(({ effect }) => (effect === 'file' ? reach.write : reach.execute)))
      for (const [other, entry] of seen) if (entry.reach < changed) seen.delete(other)
      const result = digest(text)
      const before = seen.get(key)
      const times = before?.result === result ? before.times + 1 : 1
      seen.set(key, { result, times, reach: tool ? reach[tool.capability] : reach.write })
    },
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
