import type { Beat } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { traceFiles } from './file-trace.ts'
import { findRetractions, standingBeats } from './rewind.ts'

const place = { id: 'beat', runId: null, chatId: null, at: 0, source: 'user' as const, derivation: [] as string[] }
const files = { restored: 0, removed: 0, kept: 0 }

function said(seq: number): Beat {
  return { ...place, seq, kind: 'message', payload: { messageId: 'm', role: 'user', text: `${seq}` } }
}

function rewound(seq: number, to: number, mode: 'conversation' | 'files' = 'conversation'): Beat {
  const payload = { rewindId: 'r', mode, to, retracts: mode !== 'files', files }
  return { ...place, seq, kind: 'rewind', payload }
}

function standing(...beats: Beat[]): number[] {
  return standingBeats(beats).map(({ seq }) => seq)
}

describe('the beats that stand', () => {
  it.each([
    ['all, without a rewind', [said(1), said(2)], [1, 2]],
    ['none from the place that was gone back to', [said(1), said(2), said(3), rewound(4, 2), said(5)], [1, 4, 5]],
    ['all, when only files went back', [said(1), said(2), rewound(3, 1, 'files')], [1, 2, 3]],
    ['those that an earlier rewind left', [said(1), said(2), rewound(3, 2), said(4), rewound(5, 4)], [1, 3, 5]],
    ['what a rewind took, once it is gone back to before it', [said(1), said(2), rewound(3, 2), rewound(4, 3)], [1, 2, 4]],
    ['without what was said after the rewind that is undone', [said(1), rewound(2, 1), said(3), rewound(4, 2)], [1, 4]],
    ['nothing again, when that is undone too', [said(1), rewound(2, 1), rewound(3, 2), rewound(4, 3)], [2, 4]],
  ])('are %s', (_title, beats, seqs) => {
    expect(standing(...beats)).toEqual(seqs)
  })

  it('begin with the past that a fork brought along', () => {
    const fork: Beat = {
      ...place,
      seq: 9,
      kind: 'forked',
      payload: { from: { chatId: 'c', beatId: 'b' }, past: [said(1), said(2)] as never },
    }
    expect(standing(fork, said(10))).toEqual([1, 2, 10])
  })

  it('take no longer with ten thousand rewinds', () => {
    const marks = Array.from({ length: 10_000 }, (_, at) => ({ seq: at * 2 + 2, to: at * 2 + 1, retracts: false }))
    expect(findRetractions(marks)).toEqual([])
  })
})

function changed(target: string, before: string | null, after: string | null, more: object = {}): Beat {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified'
  return {
    ...place,
    seq: 1,
    kind: 'effect',
    payload: { callId: null, effect: 'file', target, before, after, diff: null, change, ...more },
  }
}

describe('the trace of a file', () => {
  it.each([
    ['one change', [changed('a', '0', '1')], { before: '0', after: '1', interrupted: false }],
    ['a chain of them', [changed('a', '0', '1'), changed('a', '1', '2')], { before: '0', after: '2', interrupted: false }],
    ['a chain with somebody in between', [changed('a', '0', '1'), changed('a', 'x', '2')], { before: '0', interrupted: true }],
    ['a file that came and went', [changed('a', null, '1'), changed('a', '1', null)], { before: null, after: null }],
    ['a file that nobody had read', [changed('a', null, '1', { change: 'modified' })], { before: 'unknown', after: '1' }],
  ])('is %s', (_title, beats, trace) => {
    expect(traceFiles(beats).files).toMatchObject([trace])
  })

  it('names the commands whose effects were not looked for, or in part only', () => {
    const ran = (target: string, watched?: object): Beat => changed(target, null, null, { effect: 'process', watched })
    const beats = [
      ran('old'),
      ran('whole', { files: 1, complete: true, more: 0 }),
      ran('part', { files: 1, complete: false, more: 0 }),
      ran('many', { files: 1, complete: true, more: 3 }),
    ]
    expect(traceFiles(beats).unwatched).toEqual(['old', 'part', 'many'])
  })
})
