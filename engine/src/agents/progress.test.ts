import type { BeatDraft } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import type { ProcessOutcome } from '../kernel/index.ts'
import { watchProgress } from './progress.ts'
import type { ScriptedAnswer } from './scripted-model.ts'
import { createId, placeBeat, playTurn } from './test-turn.ts'

const call = (name: string, input: unknown): ScriptedAnswer => ({ calls: [{ name, arguments: input }] })
const read = (path: string, more = {}) => call('read_file', { path, ...more })
const command = (text: string) => call('execute_command', { command: text })
const change = (path: string, old: string, by: string) => call('edit', { edits: [{ path, old, new: by }] })

function exits(output: string, exitCode = 0): ProcessOutcome {
  const receipt = { guardian: 'none', abi: 0, layers: [], notCovered: [], access: 'write', network: 'off', policy: '' } as const
  const ended = { kind: 'exited', exitCode, signal: null, cut: null, ms: 1 } as const
  return { ...ended, output, stdout: output, bytes: output.length, receipt: { ...receipt, layers: [], notCovered: [] } }
}

const repeat = <T>(times: number, make: (at: number) => T): T[] => Array.from({ length: times }, (_, at) => make(at))

describe('a turn that goes in circles pauses, and says why', () => {
  const files = {
    'a.txt': 'one\ntwo\n',
    'b.txt': 'three\n',
    'long.txt': repeat(120, (at) => `line ${at}`).join('\n'),
  }
  it.each<[string, ScriptedAnswer[], number]>([
    ['the same call a hundred times', repeat(100, () => read('a.txt')), 6],
    ['two calls in turn', repeat(100, (at) => read(at % 2 ? 'a.txt' : 'b.txt')), 7],
    [
      'the same file in other pieces',
      [read('long.txt'), ...repeat(99, (at) => read('long.txt', { from: 1 + at, lines: 9 }))],
      13,
    ],
    ['searches that find nothing', repeat(100, (at) => call('search_text', { pattern: `never${'x'.repeat(at)}` })), 13],
    ['an edit and its opposite', repeat(100, (at) => (at % 2 ? change('a.txt', '1', 'one') : change('a.txt', 'one', '1'))), 7],
    ['a failing command with another time in its output', repeat(100, () => command('npm test')), 6],
  ])('%s', async (_what, answers, steps) => {
    let runs = 0
    const fail = async () => {
      runs += 1
      return exits(`failed in ${17 * runs} ms\n`, 1)
    }
    await using turn = await playTurn({ files, answers, process: fail })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'run_no_progress', fix: 'user' } })
    expect(turn.model.requests.length).toBeLessThanOrEqual(steps)
    expect(turn.model.requests.length).toBeGreaterThan(4)
    expect(turn.beats.at(-1)?.kind).toMatch(/result|blocked/)
  })
})

describe('a long honest turn is not stopped', () => {
  it('that renames through sixty files, testing the same way after each', async () => {
    const files = Object.fromEntries(repeat(20, (at) => [`f${at}.txt`, `old name ${at}\n`]))
    const answers = repeat(20, (at) => [read(`f${at}.txt`), change(`f${at}.txt`, 'old', 'new'), command('npm test')]).flat()
    await using turn = await playTurn({
      files,
      answers: [...answers, { text: 'Renamed.' }],
      process: async () => exits('20 passed in 1.2 s\n'),
    })
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 61 })
  })

  it('that waits for a build whose output moves', async () => {
    let part = 0
    const compile = async () => {
      part += 1
      return exits(`compiled ${part} of 40 modules\n`)
    }
    await using turn = await playTurn({
      answers: [...repeat(40, () => command('tail build.log')), { text: 'Built.' }],
      process: compile,
    })
    expect(turn.outcome).toMatchObject({ kind: 'completed' })
  })

  it('that runs many commands which say nothing', async () => {
    await using turn = await playTurn({
      answers: [...repeat(30, (at) => command(`mkdir d${at}`)), { text: 'Made.' }],
      process: async () => exits(''),
    })
    expect(turn.outcome).toMatchObject({ kind: 'completed' })
  })
})

describe('summaries', () => {
  const limits = { repeatedSteps: 5, barrenSteps: 12 }
  const compaction: BeatDraft = {
    kind: 'compaction',
    source: 'server',
    payload: { upTo: 1, messages: 4, summary: 's', method: 'summary', reason: 'threshold', tokensBefore: 9, tokensAfter: 3 },
  }
  const result = (text: string): BeatDraft => ({
    kind: 'result',
    source: 'tool',
    payload: {
      ...{ callId: createId('call'), tool: 'read_file', status: 'done', summary: '', text, ms: 1, refusal: null, spill: null },
      details: { kind: 'text', text: '' },
    } as never,
  })
  const play = (drafts: readonly (BeatDraft | 'end')[]) => {
    const watch = watchProgress()
    return drafts.reduce<string | null>((reason, draft, at) => {
      if (draft === 'end') return reason ?? watch.endStep(limits)
      watch.add(placeBeat(draft, at + 1))
      return reason
    }, null)
  }

  it('again and again with nothing new in between are a loop', () => {
    const useless = [compaction, result('same'), 'end'] as const
    expect(play([result('same'), 'end', ...useless, ...useless])).toBeNull()
    expect(play([result('same'), 'end', ...useless, ...useless, ...useless])).toContain('summarised')
  })

  it('between steps that bring something new are not', () => {
    const steps = repeat(10, (at) => [compaction, result(`line ${at}`), 'end'] as const).flat()
    expect(play([result('first'), 'end', ...steps])).toBeNull()
  })
})
