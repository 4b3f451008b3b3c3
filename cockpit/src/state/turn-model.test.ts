import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Beat, BeatKind, BeatPayload, FileDiff, Frame, FrameDraft, Outcome, Run } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { emptyTurn, rowsOf, type Turn } from './turn.ts'
import { changesOf, describeEnd, isActive, statusOf, usageOf } from './turn-figures.ts'
import { foldFrame, turnsFromBeats } from './turn-model.ts'

const tally = { steps: 2, calls: 1, filesChanged: ['src/a.ts'], usage: tokens(30, 12), ms: 900 }
const completed: Outcome = { kind: 'completed', ...tally }
const headline = { verb: 'edit', object: 'src/a.ts' }
const call: BeatPayload<'call'> = { callId: 'call_1', step: 1, tool: 'edit', capability: 'write', headline, input: {} }
const diff: FileDiff = { path: 'src/a.ts', change: 'modified', added: 1, removed: 1, hunks: [], cut: null }
const result: BeatPayload<'result'> = {
  callId: 'call_1',
  tool: 'edit',
  status: 'done',
  summary: '+1 −1',
  text: 'edited',
  details: { kind: 'diff', files: [diff] },
  ms: 6,
  refusal: null,
  spill: null,
}
const effect: BeatPayload<'effect'> = { callId: 'call_1', effect: 'file', target: 'src/a.ts', before: 'x', after: 'y', diff }
const egress = { endpoint: 'e', modelId: 'm', bytes: 9, digest: 'd', messages: 1, tools: 1, redactions: {}, fixture: false }
const response: BeatPayload<'response'> = { step: 1, finish: 'stop', refusal: null, usage: tokens(10, 4), firstMs: 1, ms: 2 }

function tokens(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, cachedTokens: 0 }
}

/** Beats of one run, numbered as they come. */
function ledger(runId = 'run_1') {
  let seq = 0
  return <K extends BeatKind>(kind: K, payload: BeatPayload<K>): Beat => {
    seq += 1
    return { id: `${runId}-${seq}`, seq, runId, chatId: null, at: seq, source: 'server', derivation: [], kind, payload } as Beat
  }
}

function foldAll(drafts: readonly FrameDraft[]): Turn {
  return drafts.map((draft, index) => ({ number: index + 1, ...draft }) as Frame).reduce(foldFrame, emptyTurn('run_1'))
}

const shapeOf = (turn: Turn) =>
  turn.parts.map((part) => {
    if (part.kind === 'row') return `${part.headline.verb}:${part.state}`
    return 'text' in part ? `${part.kind}:${part.text}` : part.kind
  })

describe('a turn', () => {
  it('comes out alike whether it was watched or read from the ledger', () => {
    const beat = ledger()
    const beats = [
      beat('message', { messageId: 'm1', role: 'user', text: 'mend it' }),
      beat('request', { step: 1, egress }),
      beat('response', response),
      beat('message', { messageId: 'm2', role: 'assistant', text: 'I will look.' }),
      beat('call', call),
      beat('effect', effect),
      beat('result', result),
      beat('request', { step: 2, egress }),
      beat('response', { ...response, step: 2 }),
      beat('message', { messageId: 'm3', role: 'assistant', text: 'Done.' }),
      beat('run_ended', { outcome: completed }),
    ]
    const words: Record<number, FrameDraft[]> = {
      2: [
        { kind: 'text', step: 1, text: 'I will ' },
        { kind: 'text', step: 1, text: 'look.' },
      ],
      8: [{ kind: 'text', step: 2, text: 'Done.' }],
    }
    const watched = foldAll(beats.flatMap((beat, index) => [{ kind: 'beat' as const, beat }, ...(words[index + 1] ?? [])]))
    const [read] = turnsFromBeats(beats)
    expect(shapeOf(watched)).toEqual(['text:I will look.', 'edit:done', 'text:Done.'])
    expect(read && shapeOf(read)).toEqual(shapeOf(watched))
    expect(read?.requests).toEqual(watched.requests)
    expect(watched.requests.map((request) => request.response?.step)).toEqual([1, 2])
    expect(watched.prompt?.text).toBe('mend it')
  })

  it('pairs a call with its result and its effects by the call, not by the order', () => {
    const beat = ledger()
    const second = { ...call, callId: 'call_2', headline: { verb: 'run', object: 'npm test' } }
    const [turn] = turnsFromBeats([
      beat('call', call),
      beat('call', second),
      beat('result', { ...result, callId: 'call_2', status: 'timed_out' }),
      beat('effect', effect),
      beat('result', result),
    ])
    const rows = turn ? rowsOf(turn) : []
    expect(rows.map((row) => [row.callId, row.state, row.effects.length])).toEqual([
      ['call_1', 'done', 1],
      ['call_2', 'timed_out', 0],
    ])
    expect(turn && changesOf([turn])).toMatchObject([{ path: 'src/a.ts', added: 1, removed: 1, diffs: [{ callId: 'call_1' }] }])
  })

  it('keeps a blocked call blocked when the model is told about it', () => {
    const beat = ledger()
    const refusal = makeRefusal('governance_blocked', { action: 'A commit' })
    const { capability: _, ...blocked } = call
    const [turn] = turnsFromBeats([
      beat('blocked', { ...blocked, refusal }),
      beat('result', { ...result, status: 'refused', refusal }),
    ])
    expect(turn && rowsOf(turn)).toMatchObject([{ state: 'blocked', refusal: { code: 'governance_blocked' } }])
  })

  it('shows live output while a call runs and lets the result take over', () => {
    const beat = ledger()
    const running = foldAll([
      { kind: 'beat', beat: beat('call', call) },
      { kind: 'output', callId: 'call_1', stream: 'stdout', text: 'a\n' },
      { kind: 'output', callId: 'call_1', stream: 'stderr', text: 'b\n' },
      { kind: 'output', callId: 'call_9', stream: 'stdout', text: 'of nobody' },
    ])
    expect(rowsOf(running)).toMatchObject([{ state: 'running', live: 'a\nb\n' }])
    const done = foldFrame(running, { number: 9, kind: 'beat', beat: beat('result', result) })
    expect(rowsOf(done)).toMatchObject([{ state: 'done', live: '', summary: '+1 −1' }])
  })

  it('counts down while a wait lasts, and no longer', () => {
    const wait = { kind: 'waiting', for: 'words', step: 1, until: 9, attempt: null } as const
    const words = { kind: 'text', step: 1, text: 'a' } as const
    const output = { kind: 'output', callId: 'call_1', stream: 'stdout', text: '…' } as const
    const waitOf = (...drafts: FrameDraft[]) => foldAll(drafts).waiting?.for ?? null
    expect(waitOf(words, wait)).toBe('words')
    expect(waitOf(wait, words)).toBeNull()
    expect(waitOf(wait, { kind: 'beat', beat: ledger()('response', response) })).toBeNull()
    expect(waitOf({ ...wait, for: 'call' }, output)).toBe('call')
  })

  it('knows each time that a request begins to wait for the person or was answered', () => {
    const wait = { kind: 'waiting', for: 'person', step: 1, until: 9, attempt: null } as const
    const answer = { step: 1, answer: 'send', endpoint: 'e', bytes: 1, digest: 'd', ms: 1 } as const
    const holdsOf = (...drafts: FrameDraft[]) => foldAll(drafts).holds
    expect(holdsOf({ ...wait, for: 'words' })).toBe(0)
    expect(holdsOf(wait)).toBe(1)
    expect(holdsOf(wait, { kind: 'beat', beat: ledger()('held', answer) })).toBe(2)
  })

  it('settles words that streamed around calls when the ledger holds them as one message', () => {
    const beat = ledger()
    const turn = foldAll([
      { kind: 'text', step: 1, text: 'First.' },
      { kind: 'beat', beat: beat('call', call) },
      { kind: 'text', step: 2, text: 'Then.' },
      { kind: 'beat', beat: beat('message', { messageId: 'm', role: 'assistant', text: 'First.\n\nThen.' }) },
    ])
    expect(shapeOf(turn)).toEqual(['text:First.', 'edit:running', 'text:Then.'])
    expect(turn.parts.every((part) => part.kind !== 'text' || part.settled)).toBe(true)
  })

  it('keeps its task when the person says more, which stands where it was taken in', () => {
    const beat = ledger()
    const [turn] = turnsFromBeats([
      beat('message', { messageId: 'm1', role: 'user', text: 'Build.' }),
      beat('message', { messageId: 'm2', role: 'assistant', text: 'Built.' }),
      beat('message', { messageId: 'm3', role: 'user', text: 'Only the docs.' }),
      beat('message', { messageId: 'm4', role: 'assistant', text: 'Only those.' }),
    ])
    expect(turn?.prompt?.text).toBe('Build.')
    expect(turn && shapeOf(turn)).toEqual(['text:Built.', 'said:Only the docs.', 'text:Only those.'])
  })

  it('begins anew after a resync, so that nothing is shown twice', () => {
    const frame = { kind: 'text', step: 1, text: 'Half' } as const
    const run = { id: 'run_1', status: 'running', startedAt: 7 } as Run
    const turn = foldFrame(foldAll([frame]), { number: 0, kind: 'resync', run })
    expect([turn.parts, turn.run, turn.startedAt]).toEqual([[], run, 7])
    expect(shapeOf(foldFrame(turn, { number: 1, ...frame }))).toEqual(['text:Half'])
  })

  it('takes a beat once, however often it comes', () => {
    const beat = ledger()('message', { messageId: 'm', role: 'assistant', text: 'Once.' })
    const turn = foldAll([
      { kind: 'beat', beat },
      { kind: 'beat', beat },
    ])
    expect(shapeOf(turn)).toEqual(['text:Once.'])
  })

  it('never pretends that a call ended when its run was cut off', () => {
    const beat = ledger()
    const refusal = makeRefusal('run_interrupted')
    const [turn] = turnsFromBeats([
      beat('call', call),
      beat('run_ended', { outcome: { kind: 'interrupted', ...tally, refusal } }),
    ])
    expect(turn && rowsOf(turn)).toMatchObject([{ state: 'unknown' }])
    expect(turn && statusOf(turn)).toBe('interrupted')
    expect(turn && isActive(turn)).toBe(false)
  })

  it('counts tokens request by request until the outcome gives the sum', () => {
    const beat = ledger()
    const beats = [beat('request', { step: 1, egress }), beat('response', response)]
    expect(turnsFromBeats(beats).map(usageOf)).toEqual([tokens(10, 4)])
    expect(turnsFromBeats([...beats, beat('run_ended', { outcome: completed })]).map(usageOf)).toEqual([tokens(30, 12)])
  })

  it('belongs to its run; beats of no run make no turn', () => {
    const first = ledger('run_1')
    const second = ledger('run_2')
    const grant = { ...first('grant', { basis: 'b', digest: 'd', acceptedBy: 'u', text: 't' }), runId: null }
    const said = { messageId: 'm', role: 'user', text: 'hello' } as const
    const turns = turnsFromBeats([grant, first('message', said), second('message', said)])
    expect(turns.map((turn) => turn.runId)).toEqual(['run_1', 'run_2'])
  })
})

describe('the end of a turn in words', () => {
  it.each([
    [completed, 'Completed. 1 file was changed.'],
    [{ ...completed, filesChanged: [] }, 'Completed. No file was changed.'],
    [{ kind: 'cancelled', ...tally, filesChanged: ['a', 'b'] }, 'Stopped. 2 files were changed before the stop.'],
    [{ kind: 'failed', ...tally, refusal: makeRefusal('endpoint_broke_off') }, 'Failed. 1 file was changed before that.'],
  ] satisfies [Outcome, string][])('reads plainly (%#)', (outcome, words) => {
    expect(describeEnd({ ...emptyTurn('run_1'), outcome })).toBe(words)
  })
})

describe('a child', () => {
  const scope = {
    depth: 1,
    mode: 'plan' as const,
    tools: ['read_file'],
    paths: [],
    budget: { requests: 30, ms: 1, tokens: null, nanos: null },
  }
  const task = {
    ...call,
    callId: 'call_t',
    tool: 'delegate',
    capability: 'execute' as const,
    headline: { verb: 'Delegate', object: 'Look' },
  }

  /** A run that gives a task to a child, which gives one to a child of its own. */
  function family(): FrameDraft[] {
    const beat = ledger()
    const nest = (within: string, entry: Beat): FrameDraft => ({ kind: 'beat', beat: { ...entry, within } })
    return [
      { kind: 'beat', beat: beat('request', { step: 1, egress }) },
      { kind: 'beat', beat: beat('call', task) },
      nest('call_t', beat('child_started', { callId: 'call_t', ...scope })),
      nest('call_t', beat('request', { step: 2, egress })),
      { kind: 'text', step: 2, text: 'I ', within: 'call_t' },
      nest('call_t', beat('response', { ...response, step: 2 })),
      nest('call_t', beat('message', { messageId: 'm1', role: 'assistant', text: 'I look.' })),
      nest('call_t', beat('call', { ...task, callId: 'call_u' })),
      nest('call_u', beat('child_started', { callId: 'call_u', ...scope, depth: 2 })),
      nest('call_u', beat('request', { step: 3, egress })),
      nest('call_u', beat('response', { ...response, step: 3 })),
      nest('call_u', beat('call', call)),
      { kind: 'output', callId: 'call_1', stream: 'stdout', text: 'out', within: 'call_u' },
      nest('call_u', beat('effect', effect)),
    ]
  }

  it('stands in the row of its call, with all that is its own, however deep', () => {
    const turn = foldAll(family())
    expect(shapeOf(turn)).toEqual(['Delegate:running'])
    const [row, inner, edit] = rowsOf(turn)
    expect(row?.child && shapeOf(row.child.turn)).toEqual(['text:I look.', 'Delegate:running'])
    expect(inner?.child && shapeOf(inner.child.turn)).toEqual(['edit:running'])
    expect(edit?.live).toBe('out')
    expect([turn, row?.child?.turn, inner?.child?.turn].map((of) => of?.requests.length)).toEqual([3, 2, 1])
    expect([turn, row?.child?.turn, inner?.child?.turn].map((of) => of && usageOf(of).inputTokens)).toEqual([20, 20, 10])
    expect(changesOf([turn]).map(({ path }) => path)).toEqual(['src/a.ts'])
    expect(row?.child?.turn.beats.every(({ within }) => within !== undefined)).toBe(true)
  })

  it('ends as its entry says, and with the run where there is none', () => {
    const beat = ledger('run_2')
    const ended = (callId: string): FrameDraft => ({
      kind: 'beat',
      beat: { ...beat('child_ended', { callId, outcome: { kind: 'cancelled', ...tally } }), within: callId },
    })
    const turn = foldAll([...family(), ended('call_u')])
    expect(rowsOf(turn).map(({ child }) => child && statusOf(child.turn))).toEqual(['running', 'cancelled', null])
    const over = foldAll([...family(), { kind: 'beat', beat: beat('run_ended', { outcome: completed }) }])
    expect(rowsOf(over).map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown'])
  })
})
