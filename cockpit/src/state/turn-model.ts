/**
 * Frames and beats folded into turns, by pure functions: the same turn comes out whether it was
 * watched live, joined late, or read from the ledger afterwards.
 */
import type { Beat, BeatOf, ChildScope, Frame, Outcome, Waiting } from '@bridlewise/shared/wire'
import { emptyTurn, newRow, type Turn, type TurnPart, type TurnRow, type TurnText } from './turn.ts'
import { changeRow, foldIntoChild } from './turn-children.ts'
import { readClaims } from './turn-claims.ts'

/** Characters of live output that a running row keeps; the result holds the rest. */
const liveLimit = 16_000

export function foldFrame(before: Turn, frame: Frame): Turn {
  const turn = frame.kind === 'waiting' && frame.for === 'person' ? { ...before, holds: before.holds + 1 } : before
  if ('within' in frame && frame.within !== undefined && frame.within !== turn.callId) {
    return foldIntoChild(turn, frame.within, (child) => foldFrame(child, frame))
  }
  if (frame.kind === 'waiting') return { ...turn, waiting: readWaiting(frame) }
  const folded = foldNews(turn, frame)
  // A call that prints is still waited for.
  return folded.waiting === null || frame.kind === 'output' ? folded : { ...folded, waiting: null }
}

function readWaiting({ for: what, step, until, attempt }: Extract<Frame, { kind: 'waiting' }>): Waiting {
  return { for: what, step, until, attempt }
}

function foldNews(turn: Turn, frame: Exclude<Frame, { kind: 'waiting' }>): Turn {
  switch (frame.kind) {
    case 'started':
      return { ...turn, run: frame.run, startedAt: frame.run.startedAt ?? turn.startedAt }
    // What was seen counts no more: all that is kept follows.
    case 'resync':
      return { ...emptyTurn(turn.runId), prompt: turn.prompt, run: frame.run, startedAt: frame.run.startedAt }
    case 'text':
    case 'reasoning':
      return { ...turn, parts: appendWords(turn.parts, frame) }
    case 'output':
      return changeRow(turn, frame.callId, (row) => ({ ...row, live: (row.live + frame.text).slice(-liveLimit) }))
    case 'beat':
      return foldBeat(turn, frame.beat)
    case 'ended':
      return endTurn({ ...turn, run: frame.run }, frame.run.outcome)
    default:
      return frame satisfies never
  }
}

/** Turns in the order in which their runs first appear. Beats of no run have no turn. */
export function turnsFromBeats(beats: Iterable<Beat>): Turn[] {
  const turns = new Map<string, Turn>()
  for (const beat of beats) {
    if (beat.runId === null) continue
    turns.set(beat.runId, foldBeat(turns.get(beat.runId) ?? emptyTurn(beat.runId), beat))
  }
  return [...turns.values()]
}

export function foldBeat(before: Turn, beat: Beat): Turn {
  if (before.beats.some((known) => known.id === beat.id)) return before
  const turn = { ...before, beats: [...before.beats, beat] }
  const { within } = beat
  if (within !== undefined && within !== turn.callId) return foldOfChild(turn, beat, within)
  switch (beat.kind) {
    case 'run_started':
      return { ...turn, started: beat.payload, startedAt: turn.startedAt ?? beat.at }
    case 'message':
      return beat.payload.role === 'user' ? foldSaid(turn, beat) : { ...turn, parts: settleText(turn.parts, beat.payload.text) }
    case 'request':
      return { ...turn, requests: addRequest(turn.requests, beat) }
    case 'response':
      return { ...turn, requests: answerRequest(turn.requests, beat) }
    case 'call':
      return addRow(turn, newRow({ ...beat.payload, startedAt: beat.at }))
    case 'blocked':
      return addRow(turn, newRow({ ...beat.payload, state: 'blocked', summary: 'not run', startedAt: beat.at }))
    case 'result':
      return foldResult(turn, beat)
    case 'effect':
      return beat.payload.callId === null
        ? turn
        : changeRow(turn, beat.payload.callId, (row) => ({ ...row, effects: [...row.effects, beat.payload] }))
    case 'finding':
      return { ...turn, parts: [...turn.parts, { kind: 'finding', id: beat.id, finding: beat.payload }] }
    case 'claims':
      return { ...turn, parts: [...turn.parts, readClaims(turn, beat)] }
    case 'unknown':
      return addRow(turn, newRow({ ...beat.payload, state: 'unknown', summary: 'outcome unknown', startedAt: beat.at }))
    case 'run_ended':
      return endTurn(turn, beat.payload.outcome)
    case 'compaction':
      return { ...turn, parts: [...turn.parts, { kind: 'compaction', id: beat.id, compaction: beat.payload }] }
    case 'quarantine':
      return { ...turn, parts: [...turn.parts, { kind: 'quarantine', id: beat.id, quarantine: beat.payload }] }
    case 'held':
      return { ...turn, holds: turn.holds + 1 }
    case 'child_started':
      return { ...turn, startedAt: beat.at }
    case 'child_ended':
      return endTurn(turn, beat.payload.outcome)
    case 'thought':
    case 'boundary':
    case 'goal':
    case 'restored':
    case 'retention':
    case 'rewind':
    case 'forked':
    case 'grant':
      return turn
    default:
      return beat satisfies never
  }
}

/** What a child sent and got counts for the turn too: it is the turn's to pay. */
function foldOfChild(before: Turn, beat: Beat, within: string): Turn {
  const turn = beat.kind === 'child_started' ? addChild(before, within, beat.payload) : before
  const nested = foldIntoChild(turn, within, (child) => foldBeat(child, beat))
  if (beat.kind === 'request') return { ...nested, requests: addRequest(nested.requests, beat) }
  return beat.kind === 'response' ? { ...nested, requests: answerRequest(nested.requests, beat) } : nested
}

function addChild(turn: Turn, callId: string, scope: ChildScope): Turn {
  return changeRow(turn, callId, (row) => (row.child ? row : { ...row, child: { scope, turn: emptyTurn(turn.runId, callId) } }))
}

function addRequest(requests: Turn['requests'], { id, at, payload }: BeatOf<'request'>): Turn['requests'] {
  return [...requests, { id, at, response: null, ...payload }]
}

/** The first words of the person are the task; what they say later stands where the run took it in. */
function foldSaid(turn: Turn, { id, at, payload: { text } }: BeatOf<'message'>): Turn {
  const isFirst = !turn.beats.some((known) => known.id !== id && isTask(known, turn))
  return isFirst ? { ...turn, prompt: { text, at } } : { ...turn, parts: [...turn.parts, { kind: 'said', id, text, at }] }
}

function isTask(beat: Beat, { callId }: Turn): boolean {
  return beat.kind === 'message' && beat.payload.role === 'user' && (beat.within ?? null) === callId
}

function appendWords(parts: readonly TurnPart[], words: { kind: 'text' | 'reasoning'; step: number; text: string }): TurnPart[] {
  const last = parts.at(-1)
  const isOpen = last?.kind === words.kind && last.step === words.step && !(last.kind === 'text' && last.settled)
  if (isOpen) return [...parts.slice(0, -1), { ...last, text: last.text + words.text }]
  const { kind, step, text } = words
  return [...parts, kind === 'text' ? { kind, step, text, settled: false } : { kind, step, text }]
}

/** The ledger's wording replaces what streamed: in one place when it streamed in one, as a whole when it holds the whole turn. */
function settleText(parts: readonly TurnPart[], text: string): TurnPart[] {
  const open = parts.filter((part): part is TurnText => part.kind === 'text' && !part.settled)
  const streamed = open.map((part) => part.text).join('')
  if (open.length > 1 && squeeze(streamed) === squeeze(text)) {
    return parts.map((part) => (part.kind === 'text' ? { ...part, settled: true } : part))
  }
  const last = open.at(-1)
  if (last) return parts.map((part) => (part === last ? { ...last, text, settled: true } : part))
  return text === '' ? [...parts] : [...parts, { kind: 'text', step: 0, text, settled: true }]
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

function answerRequest(requests: Turn['requests'], beat: BeatOf<'response'>): Turn['requests'] {
  const open = requests.findLast((request) => request.step === beat.payload.step && request.response === null)
  return requests.map((request) => (request === open ? { ...request, response: beat.payload } : request))
}

function foldResult(turn: Turn, beat: BeatOf<'result'>): Turn {
  const { callId, tool, status, summary, text, details, ms, refusal } = beat.payload
  const end = { state: status, summary, text, details, ms, refusal, live: '' }
  const isKnown = turn.parts.some((part) => part.kind === 'row' && part.callId === callId)
  if (isKnown) return changeRow(turn, callId, (row) => (row.state === 'blocked' ? { ...row, ms } : { ...row, ...end }))
  return addRow(turn, newRow({ callId, tool, headline: { verb: tool, object: '' }, startedAt: beat.at - ms, ...end }))
}

/** A call has one row, however many beats speak of it; the later word on how it stands counts. */
function addRow(turn: Turn, row: TurnRow): Turn {
  const isKnown = turn.parts.some((part) => part.kind === 'row' && part.callId === row.callId)
  if (!isKnown) return { ...turn, parts: [...turn.parts, row] }
  const { state, summary, refusal } = row
  return changeRow(turn, row.callId, (known) => ({ ...known, state, summary, refusal }))
}

/** After the end nothing runs: a row without a result was cut off, and what it did is not known. */
function endTurn(turn: Turn, outcome: Outcome | null): Turn {
  const parts = turn.parts.map((part) => (part.kind === 'row' ? endRow(part) : part))
  return { ...turn, parts, outcome: outcome ?? turn.outcome }
}

function endRow(row: TurnRow): TurnRow {
  const child = row.child && { ...row.child, turn: endTurn(row.child.turn, null) }
  return row.state === 'running' ? { ...row, child, state: 'unknown', summary: 'outcome unknown' } : { ...row, child }
}
