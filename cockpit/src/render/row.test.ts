import type { Details, Receipt } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { confinementOf, type Row, shownState, shownSummary } from './row.ts'

const receipt: Receipt = {
  guardian: 'g',
  abi: 6,
  layers: ['landlock'],
  notCovered: [],
  access: 'write',
  network: 'off',
  policy: 'p',
}

function command(exitCode: number | null, held: Receipt | null): Details {
  return {
    kind: 'terminal',
    command: 'npm test',
    cwd: '/p',
    output: '',
    bytes: 0,
    cut: null,
    exitCode,
    signal: null,
    receipt: held,
  }
}

function row(given: Partial<Row>): Row {
  const headline = { verb: 'run', object: 'npm test' }
  return {
    callId: 'c',
    headline,
    state: 'done',
    summary: '',
    text: '',
    details: null,
    live: '',
    refusal: null,
    startedAt: 0,
    ms: 1,
    ...given,
  }
}

describe('a row', () => {
  it.each<[string, Partial<Row>, ReturnType<typeof shownState>, string]>([
    ['that is done shows its result alone', { summary: '214 lines' }, null, '214 lines'],
    ['of a command that passed too', { summary: 'exit 0', details: command(0, receipt) }, null, 'exit 0'],
    [
      'of a command that failed is marked',
      { summary: 'exit 1 · 2 failed', details: command(1, receipt) },
      { state: 'failed', label: 'exit 1 · 2 failed' },
      '',
    ],
    [
      'that was blocked says so, and what that means',
      { state: 'blocked', summary: 'not run' },
      { state: 'blocked', label: undefined },
      'not run',
    ],
    [
      'that timed out says so',
      { state: 'timed_out', summary: 'after 120 s' },
      { state: 'timed_out', label: undefined },
      'after 120 s',
    ],
    ['says nothing twice', { state: 'unknown', summary: 'outcome unknown' }, { state: 'unknown', label: undefined }, ''],
  ])('%s', (_, given, state, summary) => {
    expect(shownState(row(given))).toEqual(state)
    expect(shownSummary(row(given))).toBe(summary)
  })

  it.each([
    ['a confined process shows its receipt', command(0, receipt), receipt],
    ['an unconfined one shows that there is none', command(0, null), 'none'],
    ['a call without a process shows neither', { kind: 'text', text: '' } as const, null],
  ])('%s', (_, details, expected) => expect(confinementOf(row({ details }))).toEqual(expected))
})
