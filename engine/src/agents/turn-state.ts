/** The state of a turn: what is named on the way, and the progress that its states share. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type {
  Beat,
  BeatDraft,
  BeatKind,
  BeatOf,
  Compaction,
  Finish,
  ModelCall,
  ModelMessage,
  ModelRequest,
  Outcome,
} from '@bridlewise/shared/wire'
import type { WriteBeat } from '../kernel/index.ts'
import { makeWellFormed } from '../timeline/index.ts'
import type { AdmissibleTool, AdmittedCall, DelegatingTool, ExecutorContext, LoopWatch, RunnableTool } from '../tools/index.ts'
import type { EvidenceLog } from './claims/index.ts'
import type { Reading } from './context/index.ts'
import type { ProgressWatch } from './progress.ts'
import type { KeptThought } from './thoughts.ts'
import type { TurnContext, TurnEvent, TurnInput, TurnLimits } from './turn-types.ts'

/** What a state leads to. Read the cases of `runTurn` beside it. */
export type TurnState =
  | { readonly name: 'assembling' }
  | { readonly name: 'compacting'; readonly reason: Compaction['reason'] }
  | { readonly name: 'streaming'; readonly request: ModelRequest }
  | { readonly name: 'gating'; readonly answer: Answer; readonly at: number }
  | { readonly name: 'executing'; readonly answer: Answer; readonly at: number; readonly call: GatedCall<RunnableTool<unknown>> }
  | {
      readonly name: 'delegating'
      readonly answer: Answer
      readonly at: number
      readonly call: GatedCall<DelegatingTool<unknown>>
    }
  | { readonly name: 'checking'; readonly answer: Answer }
  | { readonly name: 'done'; readonly ending: Ending }

/** A whole answer of the model. Its calls carry ids of ours: those of endpoints repeat and go missing. */
export interface Answer {
  readonly step: number
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly finish: Finish
  /** The beat of the response. */
  readonly beatId: string
  /** The message that holds its words; null for an answer without any. */
  readonly messageId: string | null
  /** Where its thought stands, else its words; null for an answer without any of both. */
  readonly seq: number | null
  readonly thought: KeptThought | null
}

export interface GatedCall<T extends AdmissibleTool = AdmissibleTool> extends AdmittedCall<T> {
  readonly callId: string
  readonly key: string
}

export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly refusal: Refusal }

/** What the states share. `signal` aborts when the person stops the run and when its time is up. */
export interface Turn {
  readonly context: TurnContext
  readonly input: TurnInput
  readonly limits: TurnLimits
  /** The turn whose child this is; null for the one that answers the person. */
  readonly parent: Turn | null
  /** Play a child of this turn. */
  readonly play: PlayTurn
  readonly signal: AbortSignal
  /** The part of `signal` that belongs to the limit of wall time. */
  readonly timeUp: AbortSignal
  /** What is known about what the model reads. */
  readonly reading: Reading
  /** The conversation as the model gets it, grown step by step. Empty until the first assembly. */
  readonly messages: ModelMessage[]
  /** The calls of the step at hand with their results, in order: one each. */
  exchange: Exchange
  readonly loop: LoopWatch
  /** Set by the first assembly; null in a chat without a project. */
  executor: ExecutorContext | null
  /** The beats the next request rests on: the results of the step before. */
  basis: string[]
  /** What the record of this turn shows. */
  readonly evidence: EvidenceLog
  /** Whether it gets anywhere. */
  readonly progress: ProgressWatch
  /** Whether the model was asked again because of an answer that tells of work that did not happen. */
  nudged: boolean
  readonly tally: Tally
}

export type PlayTurn = (start: TurnStart, signal: AbortSignal) => AsyncGenerator<TurnEvent, Outcome>

export interface TurnStart {
  readonly context: TurnContext
  readonly input: TurnInput
  readonly parent: Turn | null
}

export interface Exchange {
  readonly calls: ModelCall[]
  readonly results: ModelMessage[]
  readonly beatIds: string[]
  /** Its first beat; null while it has none. */
  seq: number | null
  /** Whether any of them passed the gate. */
  ran: boolean
}

export function emptyExchange(): Exchange {
  return { calls: [], results: [], beatIds: [], seq: null, ran: false }
}

/** A call with its answer, ready to be told to the model. */
export interface SettledCall {
  readonly call: ModelCall
  readonly result: Extract<ModelMessage, { role: 'tool' }>
  readonly beatId: string
  /** Its first beat. */
  readonly seq: number
  /** Whether it passed the gate. */
  readonly ran: boolean
}

/** Contract: called in the order of the calls. */
export function settle({ exchange }: Turn, { call, result, beatId, seq, ran }: SettledCall): void {
  exchange.calls.push(call)
  exchange.results.push(result)
  exchange.beatIds.push(beatId)
  exchange.seq ??= seq
  exchange.ran ||= ran
}

/** What a turn took, its children included. */
export interface Tally {
  steps: number
  /** The number of the newest request: no two of a run have the same. */
  numbered: number
  calls: number
  /** Children begun. */
  children: number
  /** Steps in a row in which the gate stopped every call. */
  stepsBlocked: number
  readonly filesChanged: Set<string>
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  readonly startedAt: number
}

export function startTally(startedAt: number): Tally {
  const none = { steps: 0, numbered: 0, calls: 0, children: 0, stepsBlocked: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  return { ...none, filesChanged: new Set(), startedAt }
}

/** A turn and those whose child it is, up to the one that answers the person. */
export function lineOf(turn: Turn): readonly [Turn, ...Turn[]] {
  return [turn, ...(turn.parent ? lineOf(turn.parent) : [])]
}

export function rootOf(turn: Turn): Turn {
  return turn.parent ? rootOf(turn.parent) : turn
}

/** The ending where the turn, or one whose child it is, may make no more requests; else null. */
export function endOfSteps(turn: Turn): Ending | null {
  const spent = lineOf(turn).find(({ tally, limits }) => tally.steps >= limits.steps)
  return spent ? endOfLimit(spent, spent.limits.steps, 'step') : null
}

/** The number of the next request, counted for the turn and for all whose child it is. */
export function takeStep(turn: Turn): number {
  for (const { tally } of lineOf(turn)) tally.steps += 1
  const { tally } = rootOf(turn)
  tally.numbered += 1
  return tally.numbered
}

/** For a request that was never sent. */
export function giveStepBack(turn: Turn): void {
  for (const { tally } of lineOf(turn)) tally.steps -= 1
}

/** Count a call, or give the ending where there are no more. */
export function takeCall(turn: Turn): Ending | null {
  const line = lineOf(turn)
  const spent = line.find(({ tally, limits }) => tally.calls >= limits.calls)
  if (spent) return endOfLimit(spent, spent.limits.calls, 'tool call')
  for (const { tally } of line) tally.calls += 1
  return null
}

/**
 * Write a beat to the ledger, then tell of it: nobody hears of what is not recorded.
 *
 * Models and file names may hold half characters, which no ledger entry can; they become U+FFFD.
 */
export async function* record<K extends BeatKind>(
  turn: Turn,
  draft: Extract<BeatDraft, { kind: K }>,
): AsyncGenerator<TurnEvent, BeatOf<K>> {
  const beat = await turn.context.ports.ledger.append(makeWellFormed(draft) as typeof draft)
  yield* tell(turn, beat)
  return beat as BeatOf<K>
}

/** The same for beats that belong together: one commit costs what one beat does. */
export async function* recordTogether<T>(turn: Turn, work: (write: WriteBeat) => T): AsyncGenerator<TurnEvent, T> {
  const { result, beats } = await turn.context.ports.ledger.appendTogether((append) => {
    const written: Beat[] = []
    const write: WriteBeat = (draft) => {
      const beat = append(makeWellFormed(draft) as typeof draft)
      written.push(beat)
      return beat
    }
    return { result: work(write), beats: written }
  })
  for (const beat of beats) yield* tell(turn, beat)
  return result
}

function* tell(turn: Turn, beat: Beat): Generator<TurnEvent, void> {
  turn.evidence.add(beat)
  turn.progress.add(beat)
  yield { type: 'beat', beat }
}

/** What runs calls. The gate admits none without a project, so its absence is a bug of ours. */
export function takeExecutor({ executor }: Turn): ExecutorContext {
  if (!executor) throw new Error('a call was admitted without a project')
  return executor
}

/** The ending of a turn whose signal has aborted: the person stopped it, or its time was up. */
export function endStopped(turn: Turn): Ending {
  const { signal, timeUp, limits } = turn
  if (!timeUp.aborted || signal.reason !== timeUp.reason) return { kind: 'cancelled' }
  return endOfLimit(turn, Math.round(limits.wallMs / 1000), 'second')
}

/** A limit of the run, or of the task of a child. */
function endOfLimit({ parent }: Turn, limit: number, unit: string): Ending {
  if (!parent) return endAtLimit(limit, `${unit}s`)
  const told = `${limit} ${unit}${limit === 1 ? '' : 's'}`
  return { kind: 'failed', refusal: makeRefusal('task_limit_reached', { limit: told }) }
}

export function endAtLimit(limit: number, unit: string): Ending {
  return { kind: 'failed', refusal: makeRefusal('run_limit_reached', { limit, unit }) }
}

/** The outcome: how it ended, and what it took. */
export function toOutcome(turn: Turn, ending: Ending): Outcome {
  const { steps, calls, filesChanged, inputTokens, outputTokens, cachedTokens, startedAt } = turn.tally
  return {
    ...ending,
    steps,
    calls,
    filesChanged: [...filesChanged],
    usage: { inputTokens, outputTokens, cachedTokens },
    ms: turn.context.ports.clock.elapsed() - startedAt,
  }
}
