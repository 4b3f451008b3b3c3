/** Gating: one call of the answer, judged before anything of it happens. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { Headline, ModelCall } from '@bridlewise/shared/wire'
import { authoriseCall, judgeCall } from '../tools/index.ts'
import { toArguments } from './messages.ts'
import { type Answer, endAtLimit, record, type Turn, type TurnState, takeExecutor } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/** Judge the call at hand: to its execution, or with a blocker to the next one. */
export async function* gateCall(
  turn: Turn,
  { answer, at }: { readonly answer: Answer; readonly at: number },
): AsyncGenerator<TurnEvent, TurnState> {
  const { context, limits, tally } = turn
  const call = answer.calls[at]
  if (!call) return { name: 'checking', answer }
  if (tally.calls >= limits.calls) return { name: 'done', ending: endAtLimit(limits.calls, 'tool calls') }
  tally.calls += 1
  const gate = { tools: context.tools, loop: turn.loop, mode: context.scope.mode, hasProject: turn.executor !== null }
  const verdict = judgeCall(gate, { call, finish: answer.finish, last: at === answer.calls.length - 1 })
  if (verdict.kind === 'blocked') {
    yield* block(turn, answer, { ...verdict, call })
    return { name: 'gating', answer, at: at + 1 }
  }
  const authorised = await authoriseCall(takeExecutor(turn), verdict, turn.signal)
  if (!authorised.ok) {
    yield* block(turn, answer, { ...verdict, call, refusal: authorised.refusal })
    return { name: 'gating', answer, at: at + 1 }
  }
  return { name: 'executing', answer, at, call: { ...verdict, callId: call.id } }
}

interface BlockedCall {
  readonly call: ModelCall
  readonly input: unknown
  readonly headline: Headline
  readonly refusal: Refusal
}

async function* block(
  turn: Turn,
  answer: Answer,
  { call, input, headline, refusal }: BlockedCall,
): AsyncGenerator<TurnEvent, void> {
  const beat = yield* record(turn, {
    kind: 'blocked',
    source: 'gate',
    derivation: [answer.beatId],
    payload: { callId: call.id, step: answer.step, tool: call.name, headline, input, refusal },
  })
  turn.exchange.calls.push({ id: call.id, name: call.name, arguments: toArguments(input) })
  turn.exchange.results.push({ role: 'tool', callId: call.id, text: refusal.message, seq: beat.seq, files: [] })
  turn.exchange.seq ??= beat.seq
  turn.exchange.beatIds.push(beat.id)
}
