import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Receipt } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ProcessSpec } from '../kernel/index.ts'
import { defineTool, type RunnableTool } from '../tools/index.ts'
import { playTurn } from './test-turn.ts'

const receipt: Receipt = { guardian: 'test', abi: 0, layers: [], notCovered: [], access: 'write', network: 'off', policy: '' }
const printed = { output: 'out\n', stdout: 'out\n', bytes: 4, cut: null, ms: 1, receipt }
const run = { calls: [{ name: 'execute_command', arguments: { command: 'make' } }] }

/** A tool whose run is the test's. */
function toolThat(run: RunnableTool<unknown>['run'], facts: Partial<RunnableTool<unknown>> = {}) {
  return defineTool<unknown>({
    name: 'probe',
    description: 'Probe.',
    category: 'files',
    capability: 'read',
    policy: 'allow',
    renders: 'text',
    input: z.unknown(),
    headline: () => ({ verb: 'Probe', object: 'it' }),
    run,
    ...facts,
  })
}
const probe = { calls: [{ name: 'probe', arguments: {} }] }

describe('a call that runs', () => {
  it('is announced before its effect, and its result comes last', async () => {
    const edits = [{ path: 'a.txt', old: 'one', new: 'two' }]
    await using turn = await playTurn({
      files: { 'a.txt': 'one\n' },
      answers: [
        {
          calls: [
            { name: 'read_file', arguments: { path: 'a.txt' } },
            { name: 'edit', arguments: { edits } },
          ],
        },
        { text: 'Done.' },
      ],
    })
    expect(turn.beats.map(({ kind }) => kind).slice(2, 7)).toEqual(['call', 'result', 'call', 'effect', 'result'])
    expect(turn.payloads('result')[1]).toMatchObject({ status: 'done', summary: '+1 −1', details: { kind: 'diff' } })
    expect(turn.outcome.filesChanged).toEqual(['a.txt'])
    expect(await readFile(join(turn.root, 'a.txt'), 'utf8')).toBe('two\n')
  })

  it('shows what it prints while it runs', async () => {
    await using turn = await playTurn({
      answers: [run, { text: 'Done.' }],
      process: async (spec) => {
        spec.onOutput?.('stdout', 'o')
        spec.onOutput?.('stdout', 'ut')
        spec.onOutput?.('stderr', 'err')
        return { kind: 'exited', exitCode: 0, signal: null, ...printed }
      },
    })
    const at = turn.events.findIndex(({ type }) => type === 'output')
    expect(turn.events.slice(at, at + 2)).toMatchObject([
      { type: 'output', stream: 'stdout', text: 'out' },
      { type: 'output', stream: 'stderr', text: 'err' },
    ])
    expect(turn.events[at + 2]).toMatchObject({ type: 'beat', beat: { kind: 'effect' } })
  })

  it('spills a large result, and says what it left out and how to see it', async () => {
    const text = 'line\n'.repeat(10_000)
    const tool = toolThat(async () => ({
      status: 'done',
      summary: 'much',
      text,
      details: { kind: 'text', text: '' },
      effects: [],
      refusal: null,
      readOn: 'Ask for less.',
    }))
    await using turn = await playTurn({ answers: [probe, { text: 'Done.' }], tools: [tool] })
    const [result] = turn.payloads('result')
    expect(result?.spill).toEqual({ ref: 'blob', bytes: text.length })
    expect(result?.text).toMatch(/\[[\d,]+ lines \([\d,]+ bytes\) left out here\]/)
    expect(result?.text).toContain('[Ask for less.]')
    expect(Buffer.byteLength(result?.text ?? '')).toBeLessThan(25 * 1024)
  })
})

describe('a call that did not run to its end says which way', () => {
  it.each([
    [{ kind: 'exited', exitCode: 2, signal: null, ...printed }, 'done', 'exit 2', null],
    [{ kind: 'timed_out', ...printed }, 'timed_out', 'timed out', 'tool_timed_out'],
    [{ kind: 'cancelled', ...printed }, 'killed', 'killed', null],
    [
      { kind: 'not_started', refusal: makeRefusal('guardian_missing', { remedy: 'cc' }) },
      'not_started',
      'not started',
      'guardian_missing',
    ],
  ] as const)('%o', async (outcome, status, summary, code) => {
    await using turn = await playTurn({ answers: [run, { text: 'Done.' }], process: async () => outcome })
    const [result] = turn.payloads('result')
    expect(result).toMatchObject({ status, summary })
    expect(result?.refusal?.code ?? null).toBe(code)
    expect(turn.payloads('effect')).toHaveLength(status === 'not_started' ? 0 : 1)
    expect(turn.outcome.kind).toBe('completed')
  })

  it('a tool that throws becomes a result with an id for the log', async () => {
    const secret = new Error('internal detail')
    const tool = toolThat(async () => Promise.reject(secret))
    await using turn = await playTurn({ answers: [probe, { text: 'Done.' }], tools: [tool] })
    expect(turn.payloads('result')).toMatchObject([{ status: 'failed', refusal: { code: 'tool_failed' } }])
    expect(JSON.stringify(turn.beats)).not.toContain('internal detail')
    expect(turn.faults).toEqual([secret])
    expect(turn.outcome.kind).toBe('completed')
  })

  it('a tool that ignores its deadline is given up', async () => {
    const tool = toolThat(() => new Promise(() => {}), { deadlineMs: () => 1 })
    await using turn = await playTurn({ answers: [probe, { text: 'Done.' }], tools: [tool] })
    expect(turn.payloads('result')).toMatchObject([{ status: 'timed_out', refusal: { code: 'tool_timed_out' } }])
    expect(turn.outcome.kind).toBe('completed')
  })

  it('a tool that ignores a stop is given up, and its effects are called unknown', async () => {
    const tool = toolThat(() => new Promise(() => {}), { capability: 'write' })
    await using turn = await playTurn({
      answers: [probe],
      tools: [tool],
      onEvent: (event, abort) => event.type === 'beat' && event.beat.kind === 'call' && abort(),
    })
    expect(turn.payloads('result')).toMatchObject([{ status: 'killed', text: expect.stringContaining('unknown') }])
    expect(turn.outcome.kind).toBe('cancelled')
  })

  it('a command told to stop gets its result, with what it printed, before the run ends', async () => {
    await using turn = await playTurn({
      answers: [run],
      process: async (spec, signal) => {
        spec.onOutput?.('stdout', 'started')
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        return { kind: 'cancelled', ...printed }
      },
      onEvent: (event, abort) => event.type === 'output' && abort(),
    })
    expect(turn.payloads('result')).toMatchObject([{ status: 'killed', text: expect.stringContaining('out') }])
    expect(turn.outcome.kind).toBe('cancelled')
  })
})

describe('plan mode', () => {
  it('gives every process read access, and records no effect', async () => {
    const specs: ProcessSpec[] = []
    const process = async (spec: ProcessSpec) => {
      specs.push(spec)
      return { kind: 'exited', exitCode: 0, signal: null, ...printed } as const
    }
    await using plan = await playTurn({ answers: [run, { text: 'Done.' }], process, scope: { mode: 'plan' } })
    await using act = await playTurn({ answers: [run, { text: 'Done.' }], process })
    expect(specs.map(({ access }) => access)).toEqual(['read', 'write'])
    expect(plan.payloads('effect')).toEqual([])
    expect(act.payloads('effect')).toMatchObject([{ effect: 'process', target: 'make' }])
  })

  it('blocks an edit that the model calls nevertheless', async () => {
    const edit = { calls: [{ name: 'edit', arguments: { edits: [{ path: 'a.txt', new: 'x' }] } }] }
    await using turn = await playTurn({ answers: [edit, { text: 'Done.' }], scope: { mode: 'plan' } })
    expect(turn.payloads('blocked')).toMatchObject([{ refusal: { code: 'tool_not_in_mode' } }])
    expect(turn.outcome.filesChanged).toEqual([])
  })
})
