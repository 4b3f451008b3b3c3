import { describe, expect, it } from 'vitest'
import { runHarness } from './run.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const plain: Scenario = {
  name: 'plain',
  shows: 'An answer.',
  files: { 'a.txt': 'a' },
  answers: [{ text: 'Hello.' }],
  expected: {
    outcome: 'completed',
    beats: ['request fixture', 'response stop', 'message assistant'],
    files: { 'a.txt': 'a', 'b.txt': null },
  },
}

async function problemsOf(expected: Partial<Scenario['expected']>, facts: Partial<Scenario> = {}) {
  const report = await runHarness([{ ...plain, ...facts, expected: { ...plain.expected, ...expected } }])
  return report.scenarios[0]?.problems
}

describe('the scenarios', () => {
  it('all hold', async () => {
    const report = await runHarness(scenarios)
    expect(report.scenarios.filter(({ passed }) => !passed)).toEqual([])
    expect(report.passed).toBe(11)
  })
})

describe('the harness', () => {
  it('finds nothing where all is as expected', async () => {
    expect(await problemsOf({})).toEqual([])
  })

  it.each([
    ['another outcome', { outcome: 'cancelled' }, /^outcome: /],
    ['a refusal', { refusal: 'run_fault' }, /^refusal: /],
    ['other beats', { beats: ['request fixture'] }, /^beats: /],
    ['another content of a file', { files: { 'a.txt': 'b' } }, /^file a\.txt: /],
    ['a file that is not there', { files: { 'b.txt': 'b' } }, /^file b\.txt: /],
    ['something to be read by the model', { modelRead: ['secret'] }, /never given "secret"/],
  ] as const)('tells when a scenario expects %s', async (_case, expected, problem) => {
    expect(await problemsOf(expected)).toEqual([expect.stringMatching(problem)])
  })

  it('fails a scenario in which something broke, whatever its outcome', async () => {
    const broken = { answers: [{ ends: 'throws' }] } as const
    const expected = { outcome: 'failed', refusal: 'run_fault', beats: ['request fixture', 'response run_fault'] } as const
    expect(await problemsOf(expected, broken)).toEqual([expect.stringContaining('something broke')])
  })

  it('starts no process: a command without a script is refused', async () => {
    const calls = [{ name: 'execute_command', arguments: { command: 'true' } }]
    const expected = {
      beats: [
        ...['request fixture', 'response calls', 'call execute_command', 'result execute_command command_not_found'],
        ...['request fixture', 'response stop', 'message assistant'],
      ],
    }
    expect(await problemsOf(expected, { answers: [{ calls }, { text: 'So be it.' }] })).toEqual([])
  })
})
