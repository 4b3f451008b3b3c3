/** The turn: one straight line from a person's words to an outcome, as a state machine. */
import type { Outcome } from '@bridlewise/shared/wire'
import { createLoopWatch } from '../tools/index.ts'
import { assemble } from './assembling.ts'
import { checkStep } from './checking.ts'
import { startEvidence } from './claims/index.ts'
import { compact } from './compacting.ts'
import { startReading } from './context/index.ts'
import { delegateCalls } from './delegating.ts'
import { executeGated } from './executing.ts'
import { gateCall } from './gating.ts'
import { watchProgress } from './progress.ts'
import { deliverSteering, hearOut } from './steering.ts'
import { streamAnswer } from './streaming.ts'
import { emptyExchange, endStopped, startTally, type Turn, type TurnStart, type TurnState, toOutcome } from './turn-state.ts'
import { defaultLimits, type TurnContext, type TurnEvent, type TurnInput } from './turn-types.ts'

/**
 * Run one turn.
 *
 * Contract: trouble of the model or of a tool never throws, it is in the outcome or in a beat. Every
 * beat is in the ledger before it is yielded, a call's before its effect, its effects' before its
 * result. Ends within 5 s after `signal` aborts, whatever hangs. Only a broken ledger, blob store or
 * a bug of this code throws. Leaving the generator early stops what is running.
 */
export function runTurn(context: TurnContext, input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, Outcome> {
  return play({ context, input, parent: null }, signal)
}

/** A turn of a person or, with a parent, of a child: one and the same. */
async function* play({ context, input, parent }: TurnStart, signal: AbortSignal): AsyncGenerator<TurnEvent, Outcome> {
  const limits = { ...defaultLimits, ...input.limits }
  const timeUp = new AbortController()
  const left = new AbortController()
  const timer = setTimeout(() => timeUp.abort(), limits.wallMs)
  const stop = AbortSignal.any([signal, timeUp.signal, left.signal])
  const turn: Turn = {
    context,
    input,
    limits,
    parent,
    play,
    signal: stop,
    timeUp: timeUp.signal,
    reading: startReading(input.context),
    messages: [],
    exchange: emptyExchange(),
    loop: createLoopWatch(),
    executor: null,
    basis: [],
    evidence: startEvidence(),
    progress: watchProgress(),
    nudged: false,
    tally: startTally(context.ports.clock.elapsed()),
  }
  try {
    let state: TurnState = { name: 'assembling' }
    while (state.name !== 'done') {
      // A stop counts between states too, so that no state has to ask before it begins.
      state = stop.aborted ? { name: 'done', ending: endStopped(turn) } : yield* advance(turn, state)
    }
    return toOutcome(turn, state.ending)
  } finally {
    clearTimeout(timer)
    left.abort()
  }
}

/** Assemble and stream; gate and execute call by call; check, and around again until nothing is left to do. */
async function* advance(turn: Turn, state: Exclude<TurnState, { name: 'done' }>): AsyncGenerator<TurnEvent, TurnState> {
  switch (state.name) {
    case 'assembling':
      if (turn.messages.length > 0) yield* deliverSteering(turn)
      return await assemble(turn)
    case 'compacting':
      return yield* compact(turn, state)
    case 'streaming':
      return yield* streamAnswer(turn, state)
    case 'gating':
      return yield* gateCall(turn, state)
    case 'executing':
      return yield* executeGated(turn, state)
    case 'delegating':
      return yield* delegateCalls(turn, state)
    case 'checking':
      return yield* hearOut(turn, state.answer, yield* checkStep(turn, state))
  }
}
