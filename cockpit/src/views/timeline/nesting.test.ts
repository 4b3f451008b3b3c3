import type { Beat } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { readDepths } from './nesting.ts'

/** Entries as `id`, `id in call`, or `id in call calls other`. */
function entries(...lines: readonly string[]): Beat[] {
  return lines.map((line) => {
    const [, id, within, callId] = /^(\S+)(?: in (\S+))?(?: calls (\S+))?$/.exec(line) ?? []
    return { id, within, kind: callId ? 'call' : 'finding', payload: { callId } } as unknown as Beat
  })
}

it.each([
  ['entries of a run', ['a', 'b'], [0, 0]],
  ['a child and its child', ['a calls x', 'b in x calls y', 'c in y', 'd in x', 'e'], [0, 1, 2, 1, 0]],
  ['a child whose call is on another page', ['c in y'], [1]],
  ['entries that stand within each other', ['a in y calls x', 'b in x calls y'], [8, 8]],
] as const)('%s stand as deep as they are', (_what, lines, depths) => {
  expect([...readDepths(entries(...lines)).values()]).toEqual(depths)
})
