/** Gating: one call of the answer, judged before anything of it happens. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { Headline, ModelCall } from '@bridlewise/shared/wire'
import { authoriseCall, isDelegating, judgeCall } from '../tools/index.ts'
import { toArguments } from './messages.ts'
import {
  type Answer,
  type Ending,
  type GatedCall,
  record,
  type SettledCall,
  settle,
  type Turn,
  type TurnState,
  takeCall,
  takeExecutor,
} from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/** A call and its place in an answer. */
export interface CallPlace {
  readonly answer: Answer
  readonly at: number
}

/** Judge the call at hand: to its execution, or with a blocker to the next one. */
export async function* gateCall(turn: Turn, { answer, at }: CallPlace): AsyncGenerator<TurnEvent, TurnState> {
  const call = answer.calls[at]
  if (!call) return { name: 'checking', answer }
  const admission = yield* admitCall(turn, { answer, at, call })
  switch (admission.kind) {
    case 'over':
      return { name: 'done', ending: admission.ending }
    case 'blocked':
      settle(turn, admission.settled)
      return { name: 'gating', answer, at: at + 1 }
    case 'admitted': {
      const { tool, ...gated } = admission.call
      if (isDelegating(tool)) return { name: 'delegating', answer, at, call: { ...gated, tool } }
      return { name: 'executing', answer, at, call: { ...gated, tool } }
    }
  }
}

/** `over`: the turn may make no more calls. A blocked one is on record, and not settled yet. */
export type Admission =
  | { readonly kind: 'over'; readonly ending: Ending }
  | { readonly kind: 'blocked'; readonly settled: SettledCall }
  | { readonly kind: 'admitted'; readonly call: GatedCall }

/** Judge a call, and have it authorised. Contract: nothing of it has happened. */
export async function* admitCall(
  turn: Turn,
  { answer, at, call }: CallPlace & { readonly call: ModelCall },
): AsyncGenerator<TurnEvent, Admission> {
  const { context } = turn
  const ending = takeCall(turn)
  if (ending) return { kind: 'over', ending }
  const gate = { tools: context.tools, loop: turn.loop, mode: context.scope.mode, hasProject: turn.executor !== null }
  const verdict = judgeCall(gate, { call, finish: answer.finish, last: at === answer.calls.length - 1 })
  if (verdict.kind === 'blocked') return { kind: 'blocked', settled: yield* block(turn, answer, { ...verdict, call }) }
  const authorised = await authoriseCall(takeExecutor(turn), verdict, turn.signal)
  if (!authorised.ok) {
    return { kind: 'blocked', settled: yield* block(turn, answer, { ...verdict, call, refusal: authorised.refusal }) }
  }
  return { kind: 'admitted', call: { ...verdict, callId: call.id } }
}

export interface BlockedCall {
  readonly call: Pick<ModelCall, 'id' | 'name'>
  readonly input: unknown
  readonly headline: Headline
  readonly refusal: Refusal
}

/** Put on record that a call is not run. */
export async function* block(
  turn: Turn,
  answer: Answer,
  { call, input, headline, refusal }: BlockedCall,
): AsyncGenerator<TurnEvent, SettledCall> {
  const beat = yield* record(turn, {
    kind: 'blocked',
    source: 'gate',
    derivation: [answer.beatId],
    payload: { callId: call.id, step: answer.step, tool: call.name, headline, input, refusal },
  })
  return {
    call: { id: call.id, name: call.name, arguments: toArguments(input) },
    result: { role: 'tool', callId: call.id, text: refusal.message, seq: beat.seq, files: [] },
    beatId: beat.id,
    seq: beat.seq,
    ran: false,
  }
}
