import type { Finish } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { builtinTools } from './builtin/index.ts'
import { type GateContext, judgeCall } from './gate.ts'
import { createLoopWatch } from './loop.ts'
import { createToolRegistry } from './registry.ts'

const context = (facts: Partial<GateContext> = {}): GateContext => ({
  tools: createToolRegistry(builtinTools),
  loop: createLoopWatch(),
  mode: 'act',
  hasProject: true,
  ...facts,
})

function judge(name: string, args: string, facts: Partial<GateContext> & { finish?: Finish; last?: boolean } = {}) {
  const { finish = 'calls', last = true, ...rest } = facts
  return judgeCall(context(rest), { call: { id: 'call', name, arguments: args }, finish, last })
}

const codeOf = (verdict: ReturnType<typeof judge>) => (verdict.kind === 'blocked' ? verdict.refusal.code : 'admitted')

const placeholder = '[REDACTED:named_secret:0123abcd]'
const escaped = placeholder.replaceAll('E', '\\u0045')

describe('the gate', () => {
  it.each([
    ['a tool that is not there', 'frobnicate', '{}', 'tool_unknown'],
    ['a name inherited by every object', 'toString', '{}', 'tool_unknown'],
    ['text that is not JSON', 'read_file', '{path: x}', 'tool_input_invalid'],
    ['something other than an object', 'read_file', '[]', 'tool_input_invalid'],
    ['null', 'read_file', 'null', 'tool_input_invalid'],
    ['a missing field', 'read_file', '{}', 'tool_input_invalid'],
    ['no arguments where some are needed', 'read_file', '', 'tool_input_invalid'],
    ['an unknown field', 'read_file', '{"path":"a","force":true}', 'tool_input_invalid'],
    ['a prototype by name', 'read_file', '{"path":"a","__proto__":{"x":1}}', 'tool_input_invalid'],
    ['a number as text', 'read_file', '{"path":"a","from":"3"}', 'tool_input_invalid'],
    ['a truth value as text', 'search_text', '{"pattern":"a","regex":"true"}', 'tool_input_invalid'],
    ['a number beyond all numbers', 'read_file', '{"path":"a","from":1e400}', 'tool_input_invalid'],
    ['hostile depth', 'read_file', '['.repeat(100_000), 'tool_input_invalid'],
    ['a text that stops in a string', 'edit', '{"edits":[{"path":"a","new":"b', 'tool_call_cut'],
    ['a commit', 'git_commit', '{"message":"x"}', 'governance_blocked'],
    ['a placeholder in a command', 'execute_command', `{"command":"login ${placeholder}"}`, 'placeholder_in_call'],
    ['a placeholder written with escapes', 'execute_command', `{"command":"${escaped}"}`, 'placeholder_in_call'],
    ['what only looks like a placeholder', 'execute_command', '{"command":"echo [REDACTED:1]"}', 'admitted'],
    ['a placeholder in what is searched for', 'search_text', `{"pattern":"${placeholder}"}`, 'admitted'],
    ['a good call', 'read_file', '{"path":"a"}', 'admitted'],
    ['a good call without arguments', 'git_status', '', 'admitted'],
  ])('judges %s', (_case, name, args, expected) => {
    expect(codeOf(judge(name, args))).toBe(expected)
  })

  it('names the place of what does not fit', () => {
    const verdict = judge('edit', '{"edits":[{"path":1,"new":"x"}]}')
    expect(verdict).toMatchObject({ refusal: { details: { problem: expect.stringContaining('edits[0].path: ') } } })
  })

  it('names the tools there are when one is not', () => {
    expect(judge('frobnicate', '{}')).toMatchObject({ refusal: { message: expect.stringContaining('read_file') } })
  })

  it('keeps a long command to a row, and says how long it is', () => {
    const verdict = judge('execute_command', JSON.stringify({ command: `true${' '.repeat(5000)}; rm x` }))
    expect(verdict.headline.object).toMatch(/… \(5010 characters\)$/)
    expect(verdict.input).toMatchObject({ command: expect.stringMatching(/; rm x$/) })
  })

  it('refuses more than a call can sensibly hold before parsing it', () => {
    const args = JSON.stringify({ path: 'x'.repeat(5 * 1024 * 1024) })
    expect(judge('read_file', args)).toMatchObject({ refusal: { details: { problem: expect.stringContaining('bytes') } } })
  })

  describe('when the answer was cut by the output limit', () => {
    it.each([
      ['the last call, partial', '{"path":"a', true, 'tool_call_cut'],
      ['the last call, not begun', '', true, 'tool_call_cut'],
      ['the last call, whole', '{"path":"a"}', true, 'admitted'],
      ['a call before it', '{"path":"a"}', false, 'admitted'],
    ] as const)('judges %s', (_case, args, last, expected) => {
      expect(codeOf(judge('read_file', args, { finish: 'length', last }))).toBe(expected)
    })
  })

  it.each([
    ['an edit', 'edit', '{"edits":[{"path":"a","new":"x"}]}', 'tool_not_in_mode'],
    ['a command, which then only reads', 'execute_command', '{"command":"ls"}', 'admitted'],
    ['a read', 'read_file', '{"path":"a"}', 'admitted'],
  ])('in plan mode judges %s', (_case, name, args, expected) => {
    expect(codeOf(judge(name, args, { mode: 'plan' }))).toBe(expected)
  })

  it('wants a project', () => {
    expect(codeOf(judge('read_file', '{"path":"a"}', { hasProject: false }))).toBe('project_needed')
  })

  it('counts ghost calls as repeats too', () => {
    const loop = createLoopWatch()
    const codes = [1, 2, 3, 4].map(() => codeOf(judge('frobnicate', '{}', { loop })))
    expect(codes).toEqual(['tool_unknown', 'tool_unknown', 'tool_loop', 'tool_loop'])
  })
})
