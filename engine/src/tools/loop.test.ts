import type { FileDiff } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { builtinTools } from './builtin/index.ts'
import type { ToolEffect } from './effect.ts'
import { createLoopWatch, loopKey } from './loop.ts'

const toolOf = (name: string) => builtinTools.find((tool) => tool.name === name)
const read = loopKey('read_file', { path: 'a' })
const command = loopKey('execute_command', { command: 'make' })
const edit = loopKey('edit', {})

const diff: FileDiff = { path: 'a', change: 'modified', added: 1, removed: 1, hunks: [], cut: null }
const fileEffect: ToolEffect = { effect: 'file', target: 'a', before: '1', after: '2', diff, change: 'modified', mode: 0o644 }
const processEffect: ToolEffect = { effect: 'process', target: 'make', watched: null }

/** What happened, as `tool result` pairs; gives what the watch says of `key` then. */
function watch(key: string, ...calls: readonly ('read' | 'read other' | 'command' | 'edit')[]) {
  const loop = createLoopWatch()
  for (const call of calls) {
    if (call === 'edit') loop.record(edit, toolOf('edit'), { text: '+1', effects: [fileEffect] })
    else if (call === 'command') loop.record(command, toolOf('execute_command'), { text: 'exit 1', effects: [processEffect] })
    else loop.record(read, toolOf('read_file'), { text: call, effects: [] })
  }
  return loop.repeats(key)
}

describe('the loop watch', () => {
  it.each([
    ['a call that was never made', read, [], null],
    ['a call with one result', read, ['read'], null],
    ['a call that gave the same result twice', read, ['read', 'read'], 2],
    ['a call whose result changed', read, ['read', 'read other'], null],
    ['a read after a command in between', read, ['read', 'read', 'command'], null],
    ['a read after an edit in between', read, ['read', 'read', 'edit'], null],
    ['a command after an edit in between', command, ['command', 'command', 'edit'], null],
    ['a command after reads in between', command, ['command', 'read', 'command', 'read'], 2],
    ['an edit that was made twice', edit, ['edit', 'read', 'edit'], 2],
  ] as const)('of %s', (_case, key, calls, expected) => {
    expect(watch(key, ...calls)).toBe(expected)
  })
})
